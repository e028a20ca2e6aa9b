import { type Failure, SEND_AGAIN } from './failure.ts';
import type { OtherKind } from './find-failure.ts';

/** What else an exchange can end with: an interruption, a key that is gone, a path that the service does not have. */
export const OTHER_FAILURES: Readonly<Record<OtherKind, Failure>> = {
  cut_at_limit: {
    title: 'The answer was ended at a limit',
    meaning:
      'It exceeded a limit of the client, or of all clients, while it ran, and Settings say that such streams are ended.',
    cost: 'The part that was received is charged.',
    advice: ['Change the limit in Clients, or let streams finish in Settings.'],
    place: 'limits',
  },
  left_before_answer: {
    title: 'The client disconnected before the answer',
    meaning:
      'The client closed its connection. Gatehouse stopped the request to the service at once.',
    cost: 'Work that the service had done by then may be charged.',
    advice: [
      'If you stopped it yourself, this is expected.',
      'If not, the client’s own time limit is probably too short for this model. Set a longer one in the client, or turn on streaming there.',
    ],
    place: null,
  },
  left_without_key: {
    title: 'The client disconnected before it was refused',
    meaning: 'The request had no valid local key. It was not sent to the service.',
    cost: 'Nothing is charged.',
    advice: ['Give the program a local key of its own in Clients.'],
    place: 'clients',
  },
  left_during_answer: {
    title: 'The client disconnected during the answer',
    meaning:
      'The answer was in progress when the client closed its connection. Gatehouse stopped the service at once.',
    cost: 'The part that was generated is charged.',
    advice: [
      'If you stopped it yourself, this is expected.',
      'If it happens often, look for a time limit or a limit of length in the client.',
    ],
    place: null,
  },
  left_after_order: {
    title: 'The client disconnected before the reply to its order',
    meaning:
      'An order that was sent cannot be cancelled, so Gatehouse waited for the answer. See Videos for the result.',
    advice: [
      'Check Videos before you order the same video again.',
      'If the client sends the same order again within ten minutes, it gets the answer to this one.',
    ],
    place: null,
  },
  no_answer: {
    title: 'No answer',
    meaning: 'The exchange ended before there was an answer.',
    advice: ['Send the request again. If it fails again, see the log of Gatehouse.'],
    place: null,
  },
  error_within_answer: {
    title: 'The service reported an error within its answer',
    meaning:
      'The service reported an error after the answer had started. Gatehouse passed it on unchanged.',
    advice: [
      SEND_AGAIN,
      'If it happens again with this model, try another one, or ask the operator of the service.',
    ],
    place: null,
  },
  cut_by_service: {
    title: 'The service cut off the answer',
    meaning:
      'The connection to the service was lost before the answer was complete. The client received an error.',
    cost: 'The part received is probably charged.',
    advice: [
      SEND_AGAIN,
      'If long answers break off often, something between here and the service may limit how long a connection lasts: a proxy, a VPN, the service itself.',
    ],
    place: null,
  },
  cut_by_gatehouse: {
    title: 'Gatehouse cut off the answer',
    meaning: 'Gatehouse had an internal error during the answer.',
    advice: ['Send the request again. If it fails again, see the log of Gatehouse.'],
    place: null,
  },
  stopped_during_answer: {
    title: 'Gatehouse was stopped during the answer',
    meaning: 'Gatehouse stopped before the answer was complete.',
    cost: 'The part received is probably charged.',
    advice: [SEND_AGAIN],
    place: null,
  },
  retired_key: {
    title: 'The key of this client was revoked or replaced',
    meaning: 'The message says when. Nothing was sent to the service.',
    advice: ['Create a new key in Clients, and enter it in the program.'],
    place: 'clients',
  },
  wrong_path: {
    title: 'The service does not know this path',
    meaning:
      'It answered 404 to a path that none of its documented routes has: the base address of the client is wrong, or the service does not offer this.',
    advice: [
      'Copy the base address for this client from Clients.',
      'If it is right, ask the operator of the service whether it has this path.',
    ],
    place: 'clients',
  },
};
