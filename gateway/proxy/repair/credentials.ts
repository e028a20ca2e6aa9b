import type { Repair } from '../../../shared/repair.ts';
import type { Protocol } from '../route.ts';
import {
  type CredentialForm,
  type Reading,
  readAuthorization,
  readKey,
} from './credential-readings.ts';
import { splitTarget } from './target.ts';

/** Where a client may put its key. The spec (section 5) knows the first two; the others are mistakes that are understood. */
export type CredentialPlace = 'authorization' | 'x-api-key' | 'api-key' | 'query';

/** A candidate for a client's key. One value sent may give several, when it can be read in several ways. */
export interface FoundCredential extends Reading {
  readonly place: CredentialPlace;
  /** Sent once, in a place and a form that the spec shows. */
  readonly clean: boolean;
  /** Candidates with the same number are readings of the same value. */
  readonly value: number;
}

/** A request without its credentials, and the credentials: at most 8, clean ones first. */
export interface TakenCredentials {
  readonly found: readonly FoundCredential[];
  /** Names and values in turn, as Node's `rawHeaders`. */
  readonly headers: string[];
  readonly target: string;
}

/** More candidates than this are not looked at. */
const MOST_CANDIDATES = 8;

interface SentValue {
  readonly place: CredentialPlace;
  readonly text: string;
  readonly repeated: boolean;
}

/**
 * Takes every credential off a request: the headers `authorization`, `proxy-authorization`, `x-api-key` and `api-key`, and the
 * query parameters `key` and `api_key`. Everything else stays byte for byte. Whether one of them is valid is for the caller to say.
 */
export function takeCredentials(rawHeaders: readonly string[], target: string): TakenCredentials {
  const { headers, sent } = takeHeaders(rawHeaders);
  const query = takeQuery(target);
  const values = [...separate(sent), ...separate(query.sent)];
  const candidates = values.flatMap((value, index) => candidatesOf(value, index));
  return { found: mostTelling(candidates), headers, target: query.target };
}

interface Sent {
  readonly place: CredentialPlace;
  readonly text: string;
}

function takeHeaders(rawHeaders: readonly string[]): { headers: string[]; sent: Sent[] } {
  const headers: string[] = [];
  const sent: Sent[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    const text = rawHeaders[index + 1] ?? '';
    const place = placeOf(name);
    if (place === null) headers.push(name, text);
    else if (place !== 'proxy') sent.push({ place, text });
  }
  return { headers, sent };
}

/** The credential a header carries. A credential for a proxy is meant for somebody else and only removed. */
function placeOf(name: string): Exclude<CredentialPlace, 'query'> | 'proxy' | null {
  switch (name.length) {
    case 7:
      return name.toLowerCase() === 'api-key' ? 'api-key' : null;
    case 9:
      return name.toLowerCase() === 'x-api-key' ? 'x-api-key' : null;
    case 13:
      return name.toLowerCase() === 'authorization' ? 'authorization' : null;
    case 19:
      return name.toLowerCase() === 'proxy-authorization' ? 'proxy' : null;
    default:
      return null;
  }
}

function takeQuery(target: string): { target: string; sent: Sent[] } {
  const { path, query } = splitTarget(target);
  if (query === '') return { target, sent: [] };
  const sent: Sent[] = [];
  const kept = query
    .slice(1)
    .split('&')
    .filter((parameter) => {
      const equals = parameter.indexOf('=');
      const name = decode(equals === -1 ? parameter : parameter.slice(0, equals)).toLowerCase();
      if (name !== 'key' && name !== 'api_key') return true;
      if (equals !== -1) sent.push({ place: 'query', text: decode(parameter.slice(equals + 1)) });
      return false;
    });
  if (kept.length === query.split('&').length) return { target, sent };
  return { target: kept.length === 0 ? path : `${path}?${kept.join('&')}`, sent };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    // Not percent-encoded after all: what was sent is the value.
    return text;
  }
}

/** Cuts values at commas: a proxy or a library may have merged two headers into one. */
function separate(sent: readonly Sent[]): SentValue[] {
  return sent.flatMap(({ place, text }) => {
    const alone = sent.filter((other) => other.place === place).length === 1;
    if (!text.includes(',')) return [{ place, text, repeated: !alone }];
    const parts = text.split(',', MOST_CANDIDATES * 2).filter((part) => part.trim() !== '');
    return parts.map((part) => ({
      place,
      text: part.trim(),
      repeated: !alone || parts.length > 1,
    }));
  });
}

function candidatesOf({ place, text, repeated }: SentValue, value: number): FoundCredential[] {
  const readings = place === 'authorization' ? readAuthorization(text) : readKey(text);
  const placed = place === 'authorization' || place === 'x-api-key';
  return readings.map((reading): FoundCredential => {
    if (repeated) return { token: reading.token, form: 'repeated', place, clean: false, value };
    return { ...reading, place, clean: placed && reading.form === undefined, value };
  });
}

/** Each token once per place, clean ones first, and not too many. */
function mostTelling(candidates: readonly FoundCredential[]): readonly FoundCredential[] {
  if (candidates.length < 2) return candidates;
  const distinct = candidates.filter(
    ({ place, token }, index) =>
      candidates.findIndex((other) => other.place === place && other.token === token) === index,
  );
  return [
    ...distinct.filter(({ clean }) => clean),
    ...distinct.filter(({ clean }) => !clean),
  ].slice(0, MOST_CANDIDATES);
}

/** What became of the credentials of one request. `chosen` is the valid one, when there was one. */
export interface CredentialOutcome {
  readonly found: readonly FoundCredential[];
  readonly chosen: FoundCredential | undefined;
  /** Whether the service key itself was among them. */
  readonly serviceKeySent: boolean;
  readonly protocol: Protocol | null;
}

/** Says what was corrected about the credentials of a request. No key is in any field: it is written `<key>`. */
export function credentialRepairs(outcome: CredentialOutcome): Repair[] {
  const { chosen, found, protocol } = outcome;
  const repairs: Repair[] = [];
  if (chosen?.form !== undefined) repairs.push(formatRepair(chosen.place, chosen.form));
  if (chosen !== undefined && isMisplaced(chosen.place, protocol))
    repairs.push(placeRepair(chosen.place));
  if (chosen !== undefined && hasRival(found, chosen)) repairs.push(conflictRepair(found, chosen));
  if (outcome.serviceKeySent) repairs.push(SERVICE_KEY_SENT);
  return repairs;
}

const LABELS: Readonly<Record<CredentialPlace, string>> = {
  authorization: 'Authorization: ',
  'x-api-key': 'x-api-key: ',
  'api-key': 'api-key: ',
  query: '?key=',
};

const WELL_FORMED: Readonly<Record<CredentialPlace, string>> = {
  authorization: 'Authorization: Bearer <key>',
  'x-api-key': 'x-api-key: <key>',
  'api-key': 'api-key: <key>',
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
    advice: 'This client adds the word Bearer by itself: enter only the key.',
  },
  'no-scheme': {
    sent: '<key>',
    advice: 'Write the word Bearer and one space before the key.',
  },
  'scheme-in-key': {
    sent: 'Bearer <key>',
    advice: 'Enter only the key here, without the word Bearer.',
  },
  named: {
    sent: 'Authorization: Bearer <key>',
    advice: "Enter only the key, without the header's name: this client adds that by itself.",
  },
  wrapped: {
    sent: '"<key>"',
    advice: 'Enter the key without quotes, spaces, brackets or line ends around it.',
  },
  broken: {
    sent: '<key> with spaces inside',
    advice: 'Enter the key in one piece, without spaces or line ends inside.',
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

function formatRepair(place: CredentialPlace, form: CredentialForm): Repair {
  const { sent, advice } = FORMS[form];
  return {
    code: 'credential-format',
    before: LABELS[place] + sent,
    after: WELL_FORMED[place],
    advice,
  };
}

/** Section 5: `x-api-key` belongs to the Messages protocol only, `Authorization` is right everywhere. */
function isMisplaced(place: CredentialPlace, protocol: Protocol | null): boolean {
  return place !== 'authorization' && !(place === 'x-api-key' && protocol === 'messages');
}

const PLACE_ADVICE: Readonly<Record<CredentialPlace, string>> = {
  authorization: '',
  'x-api-key':
    'Only Messages requests carry their key in x-api-key. If this client lets you choose, have it send a bearer token.',
  'api-key':
    'The header api-key is not known to the service. Choose a plain “OpenAI compatible” provider in this client, not Azure.',
  query:
    'A key in the address ends up in logs and histories. Have this client send it in the Authorization header.',
};

function placeRepair(place: CredentialPlace): Repair {
  return {
    code: 'credential-place',
    before: WELL_FORMED[place],
    after: WELL_FORMED.authorization,
    advice: PLACE_ADVICE[place],
  };
}

/** Whether another value was sent that cannot be read as the chosen key. */
function hasRival(found: readonly FoundCredential[], chosen: FoundCredential): boolean {
  const agreeing = new Set(
    found.filter(({ token }) => token === chosen.token).map(({ value }) => value),
  );
  return found.some(({ value }) => !agreeing.has(value));
}

function conflictRepair(found: readonly FoundCredential[], chosen: FoundCredential): Repair {
  const places = [...new Set(found.map(({ place }) => WELL_FORMED[place]))];
  return {
    code: 'credential-conflict',
    before:
      places.length > 1 ? places.join(' and ') : `${LABELS[chosen.place]}<key> and another key`,
    after: WELL_FORMED[chosen.place],
    advice:
      'This client sends two different keys. Keep the one that Gatehouse gave it and delete the other one from its settings and environment.',
  };
}

const SERVICE_KEY_SENT: Repair = {
  code: 'service-key-sent',
  before: '<service key>',
  after: '<local key>',
  advice:
    'A client never needs the service key: remove it from this client and enter its local key instead.',
};
