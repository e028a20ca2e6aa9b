import type { Repair } from '../../../shared/exchange/repair.ts';
import type { CredentialForm, CredentialPlace } from './parse-credential.ts';

const LABELS: Readonly<Record<CredentialPlace, string>> = {
  authorization: 'Authorization: ',
  'x-api-key': 'x-api-key: ',
  'api-key': 'api-key: ',
  apikey: 'apikey: ',
  'x-goog-api-key': 'x-goog-api-key: ',
  'x-authorization': 'X-Authorization: ',
  query: '?key=',
};

const WELL_FORMED: Readonly<Record<CredentialPlace, string>> = {
  authorization: 'Authorization: Bearer <key>',
  'x-api-key': 'x-api-key: <key>',
  'api-key': 'api-key: <key>',
  apikey: 'apikey: <key>',
  'x-goog-api-key': 'x-goog-api-key: <key>',
  'x-authorization': 'X-Authorization: Bearer <key>',
  query: '?key=<key>',
};

interface FormAdvice {
  readonly sent: string;
  readonly advice: string;
}

const FORMS: Readonly<Record<CredentialForm, FormAdvice>> = {
  'scheme-case': {
    sent: 'bearer <key>',
    advice: 'Write Bearer with a capital B, then one space, then the key.',
  },
  'no-space': { sent: 'Bearer<key>', advice: 'Put one space between Bearer and the key.' },
  'doubled-scheme': {
    sent: 'Bearer Bearer <key>',
    advice: 'This client adds the word Bearer itself: enter only the key.',
  },
  'no-scheme': {
    sent: '<key>',
    advice: 'Write the word Bearer and one space before the key.',
  },
  'scheme-in-key': {
    sent: 'Bearer <key>',
    advice: 'Enter only the key here, without a word before it.',
  },
  named: {
    sent: 'Authorization: Bearer <key>',
    advice: "Enter only the key, without the header's name: this client adds it.",
  },
  wrapped: {
    sent: '"<key>"',
    advice: 'Enter the key without quotes, spaces, brackets or line ends around it.',
  },
  broken: {
    sent: '<key> with spaces inside',
    advice: 'Enter the complete key, without spaces or line ends inside.',
  },
  basic: {
    sent: 'Basic <key>',
    advice:
      'Choose a bearer token (also called API key) in this client instead of user name and password.',
  },
  'other-scheme': {
    sent: 'Token <key>',
    advice: 'Write the word Bearer before the key, and no other word.',
  },
  repeated: {
    sent: '<key>, <key>',
    advice:
      'This client sends its key more than once: enter it in one place only, and not also as an extra header.',
  },
};

/** Describes a key in a form that the service would have refused. */
export function formatRepair(place: CredentialPlace, form: CredentialForm): Repair {
  const { sent, advice } = FORMS[form];
  return {
    code: 'credential-format',
    before: LABELS[place] + sent,
    after: WELL_FORMED[place],
    advice,
  };
}

const OTHER_HEADER =
  'The service does not look for a key in this header. Choose a provider of the kind “OpenAI compatible” in this client.';

const PLACE_ADVICE: Readonly<Record<Exclude<CredentialPlace, 'authorization'>, string>> = {
  'x-api-key':
    'Only Messages requests carry their key in x-api-key. If this client lets you choose, have it send a bearer token.',
  'api-key': OTHER_HEADER,
  apikey: OTHER_HEADER,
  'x-goog-api-key': OTHER_HEADER,
  'x-authorization': OTHER_HEADER,
  query:
    'A key in the address ends up in logs and histories. Have this client send it in the Authorization header.',
};

/** Describes a key in a place where this route does not look for it. */
export function placeRepair(place: Exclude<CredentialPlace, 'authorization'>): Repair {
  return {
    code: 'credential-place',
    before: WELL_FORMED[place],
    after: WELL_FORMED.authorization,
    advice: PLACE_ADVICE[place],
  };
}

/** Describes different keys that were sent in these places; the one in `chosen` was valid. */
export function conflictRepair(
  chosen: CredentialPlace,
  places: readonly CredentialPlace[],
): Repair {
  const sent = places.map((place) => WELL_FORMED[place]);
  return {
    code: 'credential-conflict',
    before: sent.length > 1 ? sent.join(' and ') : `${LABELS[chosen]}<key> and another key`,
    after: WELL_FORMED[chosen],
    advice:
      'This client sends two different keys. Keep the one that Gatehouse gave it and delete the other one from its settings and environment.',
  };
}

/** Describes that the service key itself was sent. */
export function serviceKeyRepair(): Repair {
  return {
    code: 'service-key-sent',
    before: '<service key>',
    after: '<local key>',
    advice:
      'A client never needs the service key: remove it from this client and enter its local key instead.',
  };
}
