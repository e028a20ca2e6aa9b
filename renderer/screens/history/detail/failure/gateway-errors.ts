import type { ProblemCode } from '../../../../../shared/problem.ts';
import { LIMIT_ERRORS } from './limit-errors.ts';

/** Describes a failure: what happened, what it means, what to do. */
export interface Explanation {
  readonly title: string;
  readonly meaning: string;
  /** What the request costs, as a sentence; left out for the sandbox. */
  readonly cost?: string;
  readonly advice: readonly string[];
  /** Where the failure can be fixed: a screen, or the limits of the client. */
  readonly place: 'models' | 'clients' | 'limits' | 'settings' | null;
}

const TAKE_FROM_CLIENTS = 'Copy the base address for this client from Clients.';
const SEND_AGAIN = 'Send the request again.';
/** Cause and advice are in the message, in the words that Home and the tests of services use, too. */
const SEE_MESSAGE = 'The message below names the cause, and what to check.';
const TEST_SERVICE = 'Test the service in Settings, where its address can be changed.';

/** Texts for the errors that Gatehouse itself returns, by code. */
export const GATEWAY_ERRORS: Readonly<Record<ProblemCode, Explanation>> = {
  malformed_request: {
    title: 'This was not a valid HTTP request',
    meaning: 'Gatehouse could not read it as a request. Nothing was sent to the service.',
    advice: ['If the client speaks another protocol, it cannot use Gatehouse.'],
    place: null,
  },
  https_not_supported: {
    title: 'The client used https://',
    meaning:
      'Gatehouse uses http://, because the connection never leaves this machine. Nothing was sent to the service.',
    advice: [TAKE_FROM_CLIENTS],
    place: 'clients',
  },
  absolute_target: {
    title: 'The client used Gatehouse as a proxy server',
    meaning: 'It sent a full URL where Gatehouse expects a path. Nothing was sent to the service.',
    advice: ['Remove HTTP_PROXY from the client’s settings.', TAKE_FROM_CLIENTS],
    place: 'clients',
  },
  invalid_path: {
    title: 'The path cannot be read',
    meaning: 'It has invalid characters or escapes. Nothing was sent to the service.',
    advice: [TAKE_FROM_CLIENTS],
    place: 'clients',
  },
  undecodable_body: {
    title: 'The request could not be decoded',
    meaning:
      'The client declared its request as compressed, or as a form, but it could not be read as such. Nothing complete was sent to the service.',
    advice: ['If the client compresses its requests, turn that off.', SEND_AGAIN],
    place: null,
  },
  body_too_complex: {
    title: 'The request was nested too deeply, or had too many parts',
    meaning:
      'Gatehouse limits the levels, members and parts of JSON and forms, so that no request delays the others. Nothing was sent to the service.',
    advice: ['The error message names the limit. Send a simpler request.'],
    place: null,
  },
  missing_local_key: {
    title: 'The client sent no local key',
    meaning:
      'Gatehouse accepts only clients with their own local key. Nothing was sent to the service.',
    advice: ['Add the client in Clients, and enter its local key where it asks for an API key.'],
    place: 'clients',
  },
  malformed_local_key: {
    title: 'The client sent a key that cannot be read',
    meaning:
      'It was sent in the wrong format or the wrong header. Nothing was sent to the service.',
    advice: [
      'Enter the client’s local key where it asks for an API key, and nothing else there.',
      TAKE_FROM_CLIENTS,
    ],
    place: 'clients',
  },
  invalid_local_key: {
    title: 'The client sent a key that Gatehouse does not know',
    meaning: 'It may be incomplete, or a key for something else. Nothing was sent to the service.',
    advice: ['Give the client a new local key in Clients, and enter it in the client.'],
    place: 'clients',
  },
  expired_local_key: {
    title: 'The client’s local key has expired',
    meaning: 'It had an expiry date. Nothing was sent to the service.',
    advice: [
      'Open the client in Clients and change its expiry: the same key works again.',
      'Or create a new key for it there, and enter it in the client.',
    ],
    place: 'clients',
  },
  origin_not_allowed: {
    title: 'A web page tried to use Gatehouse',
    meaning:
      'Requests from web pages are refused, so that no website can use your account. Nothing was sent to the service.',
    advice: ['If the page is yours, start Gatehouse with --allow-origin and the page’s origin.'],
    place: null,
  },
  unknown_path: {
    title: 'Gatehouse does not know this path',
    meaning: 'The service has no such path. Nothing was sent to the service.',
    advice: [TAKE_FROM_CLIENTS, 'If repairs are off, switch them on in Settings.'],
    place: 'clients',
  },
  request_timeout: {
    title: 'The client did not finish its request in time',
    meaning: 'It started to send and then stopped. Nothing complete was sent to the service.',
    advice: [SEND_AGAIN, 'If it happens often, the client or this machine may be overloaded.'],
    place: null,
  },
  order_unsure: {
    title: 'The same video was ordered before, and the outcome is unknown',
    meaning:
      'The first order got no answer: the video may be in progress, or not. Nothing was sent a second time.',
    cost: 'The first order may be charged.',
    advice: [
      'Open the first order under Videos, and decide there.',
      'To order another one anyway, have the client send “x-gatehouse-allow-duplicate: 1” or another Idempotency-Key.',
    ],
    place: null,
  },
  body_too_large: {
    title: 'The request is too large',
    meaning: 'Its body is larger than Gatehouse accepts. Nothing complete was sent to the service.',
    advice: ['Start a new conversation, or remove large files and images.'],
    place: null,
  },
  host_not_allowed: {
    title: 'The request was meant for another host',
    meaning:
      'Gatehouse answers only to the local names of this machine, so that no website can reach it through DNS. Nothing was sent to the service.',
    advice: [TAKE_FROM_CLIENTS],
    place: 'clients',
  },
  upload_unclear: {
    title: 'The address of the uploaded image is unclear',
    meaning:
      'The service accepted the image, but Gatehouse cannot find the address in its answer. No video was ordered.',
    advice: [
      'Order one video under Videos: Gatehouse shows the answer there and asks once.',
      'Or enter the path in Settings, then send the order again.',
    ],
    place: 'settings',
  },
  upgrade_not_supported: {
    title: 'The client requested a WebSocket',
    meaning: 'Gatehouse and the service speak plain HTTP. Nothing was sent to the service.',
    advice: ['Switch WebSocket off in the client; for Codex: supports_websockets = false.'],
    place: 'clients',
  },
  ...LIMIT_ERRORS,
  too_many_exchanges: {
    title: 'Too many requests at the same time',
    meaning: 'Gatehouse was already handling the maximum number. Nothing was sent to the service.',
    advice: ['Run fewer agents or parallel requests, and send the request again.'],
    place: null,
  },
  service_limit_reached: {
    title: 'The request waited too long because of the service’s limit',
    meaning:
      'It answered 429 to earlier requests, so Gatehouse sends it fewer at once and queues the others. This one waited too long, or the service asked for a longer pause. Nothing was sent to the service.',
    advice: [
      'Run fewer agents or parallel requests, or send the request again later.',
      'Check your plan at the service.',
    ],
    place: null,
  },
  service_unavailable: {
    title: 'The service could not be reached several times in a row',
    meaning:
      'Gatehouse refuses requests for a few seconds each time, then sends one to check whether the service is back. Nothing was sent to the service.',
    advice: [SEE_MESSAGE, TEST_SERVICE],
    place: 'settings',
  },
  service_changed: {
    title: 'The service or its key was changed meanwhile',
    meaning: 'The request was queued for the previous service. Nothing was sent to the service.',
    advice: [SEND_AGAIN],
    place: null,
  },
  transfer_coding_not_supported: {
    title: 'The transfer encoding is not supported',
    meaning: 'Only “chunked” is supported. Nothing was sent to the service.',
    advice: ['If the client compresses its requests in transfer, turn that off.', SEND_AGAIN],
    place: null,
  },
  upstream_unreachable: {
    title: 'Could not reach the service',
    meaning: 'There was no connection, so nothing was sent.',
    cost: 'Nothing is charged.',
    advice: [SEE_MESSAGE, TEST_SERVICE],
    place: 'settings',
  },
  upstream_connection_lost: {
    title: 'The connection to the service was lost',
    meaning:
      'It broke before the answer was complete. The request may have arrived, so Gatehouse did not repeat it.',
    cost: 'It may be charged.',
    advice: [SEND_AGAIN],
    place: null,
  },
  upstream_invalid_answer: {
    title: 'The service sent an invalid answer',
    meaning:
      'The response is not valid HTTP. The request may have arrived, so Gatehouse did not repeat it.',
    cost: 'It may be charged.',
    advice: [
      'Check the base address of the service in Settings: it may lead to something else.',
      'If it is right, ask the operator of the service.',
    ],
    place: 'settings',
  },
  unexpected_content_type: {
    title: 'The answer is not JSON',
    meaning:
      'Something answered with success, but not in the format of the service, so the client cannot use it. Gatehouse passed it on unchanged.',
    advice: [
      'Open any website in a browser: this network may ask you to sign in first.',
      'Check the base address of the service in Settings, and test it there.',
      'If both are right, the service may show a maintenance page: try again later.',
    ],
    place: 'settings',
  },
  redirect_refused: {
    title: 'The service redirected the client',
    meaning:
      'It redirected to an address that Gatehouse does not follow, for safety. Nothing was fetched from there.',
    advice: ['Tell the operator of the service.'],
    place: null,
  },
  redirect_unreachable: {
    title: 'The server with the file cannot be reached',
    meaning:
      'The service answered and redirected to another server, which Gatehouse could not reach. The service itself is not the cause.',
    advice: ['Try again later.', 'Check whether your network blocks the address in the message.'],
    place: null,
  },
  loop_detected: {
    title: 'The service’s address leads back to Gatehouse',
    meaning: 'Gatehouse stopped the loop.',
    advice: ['Enter the address of the service itself in Settings.'],
    place: 'settings',
  },
  service_key_missing: {
    title: 'There is no service key',
    meaning: 'The service refuses requests without a key. Nothing was sent to the service.',
    advice: ['Enter the service key in Settings, or use the sandbox.'],
    place: 'settings',
  },
  service_key_locked: {
    title: 'The service key is locked',
    meaning: 'The keychain that holds it was locked. Nothing was sent to the service.',
    advice: ['Unlock the keychain, then read the key again in Settings.'],
    place: 'settings',
  },
  memory_full: {
    title: 'Gatehouse reached its memory limit',
    meaning:
      'The requests and answers in progress used the memory reserved for them, or this client’s share of it. Nothing was sent to the service.',
    advice: ['Run fewer large requests at the same time, and send the request again.'],
    place: null,
  },
  paused: {
    title: 'Gatehouse was paused',
    meaning: 'It sends no requests while paused. Nothing was sent to the service.',
    advice: [
      'Resume Gatehouse on Home, or at the bottom of the navigation, then send the request again.',
    ],
    place: null,
  },
  order_not_kept: {
    title: 'A video order could not be saved to disk',
    meaning:
      'Gatehouse saves every order before it sends it, so that none is lost or ordered twice. This one could not be saved, so it was not sent.',
    advice: ['Check that the disk has free space and is writable.', SEND_AGAIN],
    place: 'settings',
  },
  shutting_down: {
    title: 'Gatehouse was shutting down',
    meaning: 'It no longer accepted new requests.',
    advice: ['Send the request again.'],
    place: null,
  },
  gateway_stopped: {
    title: 'Gatehouse ended during this request',
    meaning: 'Its process ended, so the client got no complete response.',
    advice: [SEND_AGAIN],
    place: null,
  },
  internal_error: {
    title: 'Gatehouse had an internal error',
    meaning: 'This is a bug in Gatehouse. It is unknown whether the request reached the service.',
    advice: [SEND_AGAIN, 'See the log of Gatehouse, and please report it.'],
    place: null,
  },
  upstream_timeout: {
    title: 'The service did not respond in time',
    meaning: 'It did not accept a connection in the time allowed. Nothing was sent.',
    advice: [SEE_MESSAGE, TEST_SERVICE, SEND_AGAIN],
    place: 'settings',
  },
};
