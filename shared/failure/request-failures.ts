import { type Failure, SEND_AGAIN } from './failure.ts';

const TAKE_FROM_CLIENTS = 'Copy the base address for this client from Clients.';

/** Refusals of requests by Gatehouse: by their form, their key, and the limits. */
export const REQUEST_FAILURES = {
  malformed_request: {
    title: 'This was not a valid HTTP request',
    meaning: 'Gatehouse could not read it as a request. Nothing was sent to the service.',
    advice: ['If the client speaks another protocol, it cannot use Gatehouse.'],
    place: null,
  },
  https_not_supported: {
    title: 'The client used https://',
    meaning:
      'Gatehouse uses http://, because the connection stays on this machine, or in a private network that you have named. Nothing was sent to the service.',
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
  local_limit_reached: {
    title: 'Refused by a limit',
    meaning: 'It would exceed a limit of the client, or of all clients. Nothing was sent.',
    advice: [
      'The message names the limit. Wait until it resets, or change it in Clients. A limit per run refuses only this run: start another one.',
    ],
    place: 'limits',
  },
  local_agent_stopped: {
    title: 'The agent was stopped',
    meaning:
      'It called a tool with the same arguments again and again, or sent many requests without a message of a person, or a person stopped it. Nothing was sent.',
    advice: ['Look at its run in History. Let it go on under Home.'],
    place: null,
  },
  origin_not_allowed: {
    title: 'A web page tried to use Gatehouse',
    meaning:
      'Requests from web pages are refused, so that no website can use your account. Nothing was sent to the service.',
    advice: ['If the page is yours, start Gatehouse with --allow-origin and the page’s origin.'],
    place: null,
  },
  local_model_refused: {
    title: 'The client may not use this model',
    meaning: 'Its models are limited in Clients. Nothing was sent.',
    advice: ['Use one of the models that the message names, or change them in Clients.'],
    place: 'limits',
  },
  local_request_refused: {
    title: 'A person refused this request',
    meaning: 'Gatehouse held it, and a person refused it there. Nothing was sent.',
    advice: ['The message has the words of the person, if there are any.'],
    place: null,
  },
  unknown_path: {
    title: 'Gatehouse does not know this path',
    meaning: 'It passes on only paths under /v1. Nothing was sent to the service.',
    advice: [TAKE_FROM_CLIENTS],
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
      'Gatehouse answers only to the names and addresses at which it listens, so that no website can reach it through DNS. Nothing was sent to the service.',
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
  local_rate_reached: {
    title: 'Too many requests for a limit',
    meaning: 'A limit for requests at once, or within a minute, was reached. Nothing was sent.',
    advice: ['Run fewer requests at once, or change the limit in Clients.'],
    place: 'limits',
  },
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
  transfer_coding_not_supported: {
    title: 'The transfer encoding is not supported',
    meaning: 'Only “chunked” is supported. Nothing was sent to the service.',
    advice: ['If the client compresses its requests in transfer, turn that off.', SEND_AGAIN],
    place: null,
  },
} as const satisfies Readonly<Record<string, Failure>>;
