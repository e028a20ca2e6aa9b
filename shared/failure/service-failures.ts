import { type Failure, SEND_AGAIN } from './failure.ts';
import type { RecordedKind, StatusKind } from './find-failure.ts';

/** An error status of the service, with what to do where no history is at hand. */
export interface StatusFailure extends Failure {
  /** The advice in the chat of the window. */
  readonly inChat: string;
  /** The advice in the test of the service key. */
  readonly inKeyTest: string;
}

const WAIT = 'Wait a moment and send the request again.';
const RETRY = 'Retry in a moment.';
const TRY_LATER = 'Nothing is wrong on this machine. Try again later.';
const CHECK_ADDRESS = 'Check the base address.';

/** Errors that the service answers (spec section 7). */
export const STATUS_FAILURES: Readonly<Record<StatusKind, StatusFailure>> = {
  http_400: {
    title: 'The service did not accept the request',
    meaning:
      'Something in the request is wrong for this model: a field, its type, or a value out of range. Ranges such as that of “temperature” differ from model to model.',
    advice: [
      'Read the message of the service: it usually names the field.',
      'Reset special settings of the client for this model: temperature, token limits, thinking.',
    ],
    place: null,
    inChat: 'Try another protocol or another model.',
    inKeyTest: CHECK_ADDRESS,
  },
  http_401: {
    title: 'The service refused the service key',
    meaning:
      'The key that Gatehouse sent is wrong, expired or revoked. No client can work until you change it. The clients’ local keys are not the cause.',
    advice: ['Enter the service key again in Settings and test it there.'],
    place: 'settings',
    inChat:
      'Test the service key in Settings. A key without permission for this model may be refused like this, too.',
    inKeyTest: 'Copy the whole key again from the web console of the service.',
  },
  http_402: {
    title: 'The service asks for a payment',
    meaning: 'The account of the service key has no credit left, or its plan does not cover this.',
    advice: ['Check the account in the web console of the service.'],
    place: null,
    inChat: 'Check the account in the web console of the service.',
    inKeyTest: 'Check the account in the web console of the service.',
  },
  http_403: {
    title: 'The service key has no permission for this',
    meaning:
      'The service knows the key, but this account may not use this model or this kind of request. Video models need their own permission.',
    advice: [
      'Choose a model from Models, or ask the operator to add the permission to the account.',
    ],
    place: 'models',
    inChat: 'Choose another model.',
    inKeyTest:
      'Check in the web console of the service what this key may do and whether the account is in good standing.',
  },
  http_404: {
    title: 'The service did not find this',
    meaning: 'The path, model, file or task of the request does not exist there.',
    advice: [
      'Compare the model with its exact id in Models.',
      'Compare the path as it was sent with the base address that the client should use.',
    ],
    place: 'models',
    inChat:
      'This model may not support this protocol: try another one. Otherwise check the base address in Settings.',
    inKeyTest: 'Check the base address: it ends before "/v1".',
  },
  http_408: {
    title: 'The service timed out',
    meaning: 'The request was not complete in the time that the service allows.',
    advice: ['Send the request again, or make it smaller.'],
    place: null,
    inChat: RETRY,
    inKeyTest: 'Try again. If it keeps failing, check the network and any proxy.',
  },
  http_413: {
    title: 'The request is too large for the service',
    meaning: 'Its body is larger than the service accepts.',
    advice: ['Start a new conversation, or remove files and images.'],
    place: null,
    inChat: 'Send less: smaller files, or a new conversation.',
    inKeyTest: CHECK_ADDRESS,
  },
  http_429: {
    title: 'Too many requests for this key',
    meaning:
      'The rate limit of this key is reached. Gatehouse has already waited and retried where that is safe.',
    advice: [
      'Run fewer agents or parallel requests.',
      'Reduce automatic retries in the client, and wait a moment.',
    ],
    place: null,
    inChat: 'Wait a moment, then retry.',
    inKeyTest: 'Wait a minute, then test again.',
  },
  http_503: {
    title: 'The service is not ready',
    meaning: 'It is overloaded, starting or in maintenance. Your request is probably fine.',
    advice: [WAIT, 'If it persists, try another model, or later.'],
    place: null,
    inChat: RETRY,
    inKeyTest: TRY_LATER,
  },
  http_504: {
    title: 'The service took too long',
    meaning:
      'A server in front of the model gave up waiting for it. The model may have worked, and may be charged.',
    advice: ['Turn on streaming in the client, or ask for a shorter answer.', SEND_AGAIN],
    place: null,
    inChat: RETRY,
    inKeyTest: TRY_LATER,
  },
  http_529: {
    title: 'The service is overloaded',
    meaning: 'Too many people use it at this moment. Your request is probably fine.',
    advice: [WAIT, 'If it persists, try another model.'],
    place: null,
    inChat: RETRY,
    inKeyTest: TRY_LATER,
  },
  http_5xx: {
    title: 'The service had an error',
    meaning: 'The service reported an internal error. Your request is probably fine.',
    advice: [WAIT, 'If it persists, try another model.'],
    place: null,
    inChat: RETRY,
    inKeyTest: TRY_LATER,
  },
  http_4xx: {
    title: 'The service refused the request',
    meaning: 'It returned an error for this request.',
    advice: ['See the message of the service, if there is one. The client shows it, too.'],
    place: null,
    inChat: RETRY,
    inKeyTest: CHECK_ADDRESS,
  },
  model_not_found: {
    title: 'The service does not know this model',
    meaning:
      'It accepts only exact model ids: no display names, and no ids without their provider prefix. A model that the key may not use can give the same error.',
    advice: ['Copy the exact id from Models and enter it in the client.'],
    place: 'models',
    inChat: 'Choose the model from the list: its name must match exactly.',
    inKeyTest: CHECK_ADDRESS,
  },
};

/** Failures that only the record names: the answer itself said success, or redirected. */
export const RECORDED_FAILURES: Readonly<Record<RecordedKind, Failure>> = {
  redirected: {
    title: 'The service redirected the request',
    meaning: 'No model answered. Gatehouse passed the redirect on, which most clients cannot use.',
    advice: [
      'Open any website in a browser: this network may ask you to sign in first.',
      'Check the base address of the service in Settings: it may have moved.',
    ],
    place: 'settings',
  },
  not_a_video: {
    title: 'The file is not a whole video',
    meaning:
      'The service answered with success, but sent something else, or a damaged file. Nothing was saved.',
    advice: ['Download it again in Videos. If that fails, ask the operator of the service.'],
    place: null,
  },
  download_failed: {
    title: 'The download did not reach its end',
    meaning: 'What came is kept, and the next attempt goes on from there.',
    advice: ['Wait: it is tried again. Videos shows when.'],
    place: null,
  },
};
