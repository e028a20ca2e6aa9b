import type { ProblemCode } from '../../../../shared/problem.ts';

/** Describes a failure: what happened, what it means, what to do. */
export interface Explanation {
  readonly title: string;
  readonly meaning: string;
  readonly advice: readonly string[];
  /** The screen where the failure can be fixed. */
  readonly place: 'models' | 'clients' | 'settings' | null;
}

const TAKE_FROM_CLIENTS = 'Take the base address for this client from Clients.';
const SEND_AGAIN = 'Send the request again.';

/** Texts for the errors that Gatehouse itself returns, by code. */
export const GATEWAY_ERRORS: Readonly<Record<ProblemCode, Explanation>> = {
  malformed_request: {
    title: 'What came was no valid HTTP',
    meaning: 'Gatehouse could not read it as a request. Nothing was sent to the service.',
    advice: [
      'Check that the client uses http:// and not https:// for the address of Gatehouse.',
      'If the client speaks another protocol, it cannot use Gatehouse.',
    ],
    place: null,
  },
  absolute_target: {
    title: 'The client took Gatehouse for a proxy server',
    meaning:
      'It asked for a whole address where Gatehouse expects a path. Nothing was sent to the service.',
    advice: ['Remove HTTP_PROXY from the client’s settings.', TAKE_FROM_CLIENTS],
    place: 'clients',
  },
  invalid_path: {
    title: 'The path cannot be read',
    meaning:
      'It holds characters or escapes that stand for nothing. Nothing was sent to the service.',
    advice: [TAKE_FROM_CLIENTS],
    place: 'clients',
  },
  undecodable_body: {
    title: 'The request could not be unpacked',
    meaning:
      'The client said that its request is compressed, or a form, but it could not be read as that. Nothing complete was sent to the service.',
    advice: ['If the client compresses its requests, switch that off.', SEND_AGAIN],
    place: null,
  },
  body_too_complex: {
    title: 'The request was nested too deeply, or had too many parts',
    meaning:
      'Gatehouse takes JSON and forms up to a bound of levels, members and parts, so that no request holds up the others. Nothing was sent to the service.',
    advice: ['The message of the failure names the bound. Send the request in a simpler form.'],
    place: null,
  },
  missing_local_key: {
    title: 'The client sent no local key',
    meaning:
      'Gatehouse lets in only clients with a key of their own. Nothing was sent to the service.',
    advice: ['Add the client in Clients, and enter its local key where it asks for an API key.'],
    place: 'clients',
  },
  malformed_local_key: {
    title: 'The client sent a key that cannot be read',
    meaning: 'It was sent in a form or a place that holds no key. Nothing was sent to the service.',
    advice: [
      'Enter the client’s local key where it asks for an API key, and nothing else there.',
      TAKE_FROM_CLIENTS,
    ],
    place: 'clients',
  },
  invalid_local_key: {
    title: 'The client sent a key that Gatehouse does not know',
    meaning:
      'It may be revoked, cut short, or a key of something else. Nothing was sent to the service.',
    advice: ['Give the client a new local key in Clients, and enter it in the client.'],
    place: 'clients',
  },
  origin_not_allowed: {
    title: 'A web page wanted to use Gatehouse',
    meaning:
      'Pages in a browser are turned away, so that no website can use your account. Nothing was sent to the service.',
    advice: ['If the page is yours, start Gatehouse with --allow-origin and the page’s origin.'],
    place: null,
  },
  unknown_path: {
    title: 'Gatehouse has nothing at this path',
    meaning: 'The path is not one of the service’s. Nothing was sent to the service.',
    advice: [TAKE_FROM_CLIENTS, 'If repairs are off, switch them on in Settings.'],
    place: 'clients',
  },
  request_timeout: {
    title: 'The client did not finish its request in time',
    meaning: 'It began to send and then fell silent. The service got nothing complete.',
    advice: [SEND_AGAIN, 'If it happens often, the client or this machine may be overloaded.'],
    place: null,
  },
  order_unsure: {
    title: 'The same video was ordered before, and its outcome is not known',
    meaning:
      'The answer to the first order never came: the video may be in the making and charged, or not. Nothing was sent a second time.',
    advice: [
      'Look at the first order under Videos, and decide there.',
      'To order another one all the same, have the client send “x-gatehouse-allow-duplicate: 1” or another Idempotency-Key.',
    ],
    place: null,
  },
  body_too_large: {
    title: 'The request is too large',
    meaning: 'Its body is larger than Gatehouse accepts. Nothing complete was sent to the service.',
    advice: ['Begin a new conversation, or leave out large files and pictures.'],
    place: null,
  },
  host_not_allowed: {
    title: 'The request was meant for another host',
    meaning:
      'Gatehouse answers only under the names of this machine, so that no website can reach it by a trick with names. Nothing was sent to the service.',
    advice: [TAKE_FROM_CLIENTS],
    place: 'clients',
  },
  upload_unclear: {
    title: 'It is not clear where the uploaded image lies',
    meaning:
      'The service took the image, but its answer does not show plainly which part of it is the address. No video was ordered.',
    advice: [
      'Make one video under Videos: Gatehouse shows the answer there and asks once.',
      'Or enter the place in Settings, then send the order again.',
    ],
    place: 'settings',
  },
  upgrade_not_supported: {
    title: 'The client wanted a WebSocket',
    meaning: 'Gatehouse and the service speak plain HTTP. Nothing was sent to the service.',
    advice: ['Switch WebSocket off in the client; for Codex: supports_websockets = false.'],
    place: 'clients',
  },
  too_many_exchanges: {
    title: 'Too many requests at the same time',
    meaning:
      'Gatehouse was already busy with as many as it takes. Nothing was sent to the service.',
    advice: ['Have fewer agents or parallel requests run, and send the request again.'],
    place: null,
  },
  service_limit_reached: {
    title: 'The service has a limit, and no turn came in time',
    meaning:
      'It answered 429 to earlier requests, so Gatehouse sends it fewer at once and lets the others wait. This one waited too long, or the service wants a longer pause. Nothing was sent to the service.',
    advice: [
      'Have fewer agents or parallel requests run, or send the request again later.',
      'Look at your plan at the service.',
    ],
    place: null,
  },
  service_unavailable: {
    title: 'The service could not be reached several times in a row',
    meaning:
      'Gatehouse turns requests away for a few seconds each time, and then lets one through to see whether the service is back. Nothing was sent to the service.',
    advice: [
      'Check your network, and whether the service is up.',
      'Check the base address of the service in Settings, and test it there.',
    ],
    place: 'settings',
  },
  service_changed: {
    title: 'Another service or key was chosen meanwhile',
    meaning:
      'The request waited for its turn at the service of before. Nothing was sent to the service.',
    advice: [SEND_AGAIN],
    place: null,
  },
  transfer_coding_not_supported: {
    title: 'The body came in a coding that is not undone here',
    meaning: 'Between two programs only “chunked” is understood. Nothing was sent to the service.',
    advice: ['If the client compresses its requests on the way, switch that off.', SEND_AGAIN],
    place: null,
  },
  upstream_unreachable: {
    title: 'The service could not be reached',
    meaning: 'No connection came about, so nothing was sent and nothing is charged.',
    advice: [
      'Check your network, and whether the service is up.',
      'Check the base address of the service in Settings, and test it there.',
    ],
    place: 'settings',
  },
  upstream_connection_lost: {
    title: 'The connection to the service was lost',
    meaning:
      'It broke before the answer was complete. The request may have arrived and may be charged, so Gatehouse did not repeat it.',
    advice: [SEND_AGAIN],
    place: null,
  },
  upstream_invalid_answer: {
    title: 'The service sent something that is no answer',
    meaning:
      'What came back is not valid HTTP. The request may have arrived and may be charged, so Gatehouse did not repeat it.',
    advice: [
      'Check the base address of the service in Settings: it may lead to something else.',
      'If it is right, ask whoever runs the service.',
    ],
    place: 'settings',
  },
  redirect_refused: {
    title: 'The service sent the client elsewhere',
    meaning:
      'It redirected to a place that Gatehouse does not fetch from, for safety. Nothing was fetched from there.',
    advice: ['Ask whoever runs the service about it.'],
    place: null,
  },
  loop_detected: {
    title: 'The service’s address leads back to Gatehouse',
    meaning: 'The request came round in a circle, and Gatehouse stopped it.',
    advice: ['Set the address of the service itself in Settings.'],
    place: 'settings',
  },
  service_key_missing: {
    title: 'There is no service key',
    meaning: 'Without it the service lets nobody in. Nothing was sent to the service.',
    advice: ['Enter the service key in Settings, or use the sandbox.'],
    place: 'settings',
  },
  service_key_locked: {
    title: 'The service key is locked away',
    meaning: 'The keychain that holds it was locked. Nothing was sent to the service.',
    advice: ['Unlock the keychain, then read the key again in Settings.'],
    place: 'settings',
  },
  memory_full: {
    title: 'Gatehouse held as much as it may',
    meaning:
      'The requests and answers that it held at that moment filled the memory that is set aside for them, or this client’s share of it. Nothing was sent to the service.',
    advice: ['Have fewer large requests run at the same time, and send the request again.'],
    place: null,
  },
  paused: {
    title: 'Gatehouse was paused',
    meaning: 'While it is, it lets nothing through. Nothing was sent to the service.',
    advice: ['Resume Gatehouse in this window or in its tray menu, then send the request again.'],
    place: null,
  },
  order_not_kept: {
    title: 'The order of a video could not be written to the disk',
    meaning:
      'Gatehouse writes every order down before it sends it, so that none is lost or paid twice. This one could not be, so it was not sent.',
    advice: [
      'Check that the disk has room and that the data folder can be written to.',
      SEND_AGAIN,
    ],
    place: 'settings',
  },
  shutting_down: {
    title: 'Gatehouse was about to end',
    meaning: 'It took no new requests any more.',
    advice: ['Send the request again now that Gatehouse runs.'],
    place: null,
  },
  internal_error: {
    title: 'Gatehouse itself failed',
    meaning: 'This is a fault in Gatehouse. Whether the request reached the service is not known.',
    advice: [SEND_AGAIN, 'The log of Gatehouse says what went wrong; a report of it is welcome.'],
    place: null,
  },
  upstream_timeout: {
    title: 'The service did not respond in time',
    meaning: 'It did not accept a connection in the time allowed. Nothing was sent.',
    advice: ['Check your network, and whether the service is up.', SEND_AGAIN],
    place: 'settings',
  },
};
