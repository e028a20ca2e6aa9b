import type { ProblemCode } from '../problem.ts';
import { type Failure, SEND_AGAIN } from './failure.ts';
import { REQUEST_FAILURES } from './request-failures.ts';

/** Cause and advice are in the message, in the words that Home and the tests of services use, too. */
const SEE_MESSAGE = 'The message names the cause, and what to check.';
const TEST_SERVICE = 'Test the service in Settings, where its address can be changed.';

/** The failures that Gatehouse answers or records in its own name, by code. */
export const GATEWAY_FAILURES: Readonly<Record<ProblemCode, Failure>> = {
  ...REQUEST_FAILURES,
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
    advice: [SEND_AGAIN],
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
