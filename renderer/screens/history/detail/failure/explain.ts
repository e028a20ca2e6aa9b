import type { ExchangeRecord } from '../../../../../shared/exchange/exchange.ts';
import { isFree, NO_CHARGE_SENTENCE } from '../../../../../shared/money/charge.ts';
import { type ProblemCode, PROBLEMS } from '../../../../../shared/problem.ts';
import { findEnding, isRetiredKey } from '../../../../../shared/exchange/outcome.ts';
import { type Explanation, GATEWAY_ERRORS } from './gateway-errors.ts';

export type { Explanation } from './gateway-errors.ts';

export type ExplainInput = Pick<
  ExchangeRecord,
  'status' | 'errorCode' | 'endedBy' | 'route' | 'clientName' | 'service'
>;

/** Explains why an exchange failed, what that means and what to do (spec section 7); `null` when it did not fail. */
export function explain(exchange: ExplainInput): Explanation | null {
  const explanation = findExplanation(exchange);
  if (explanation?.cost === undefined) return explanation;
  const { cost, meaning, ...rest } = explanation;
  const sentence = isFree(exchange.service) ? NO_CHARGE_SENTENCE : cost;
  return { ...rest, meaning: `${meaning} ${sentence}` };
}

function findExplanation(exchange: ExplainInput): Explanation | null {
  const { status, errorCode } = exchange;
  if (errorCode === 'unexpected_content_type' && hasStarted(status))
    return GATEWAY_ERRORS[errorCode];
  if (isRetiredKey(exchange)) return RETIRED_KEY;
  const own = gatewayCode(exchange);
  if (own !== null) return hasStarted(status) ? explainInterrupted(own) : GATEWAY_ERRORS[own];
  if (findEnding(exchange) === 'left') {
    if (exchange.clientName === null) return LEFT_UNKNOWN;
    if (exchange.route === 'video-submit') return LEFT_AFTER_ORDER;
    return hasStarted(status) ? LEFT_DURING_ANSWER : LEFT_BEFORE_ANSWER;
  }
  const recorded = errorCode === null ? undefined : RECORDED[errorCode];
  if (recorded !== undefined && !(status !== null && status >= 400)) return recorded;
  if (status === null) return NO_ANSWER;
  if (status < 400) return errorCode === null ? null : FAILED_WITHIN_ANSWER;
  if (errorCode === 'model_not_found') return MODEL_NOT_FOUND;
  if (status === 404 && exchange.route === 'other') return WRONG_PATH;
  return BY_STATUS[status] ?? (status >= 500 ? SERVICE_FAILED : REFUSED);
}

/** Returns the gateway's error code if Gatehouse answered: a service may use the same codes for its own errors. */
function gatewayCode({ status, errorCode, endedBy }: ExplainInput): ProblemCode | null {
  if (errorCode === null || !isGatewayCode(errorCode)) return null;
  const ours = endedBy === 'gateway' || errorCode.startsWith('upstream_');
  return ours && (hasStarted(status) || status === PROBLEMS[errorCode].status) ? errorCode : null;
}

function isGatewayCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

/** Whether a successful response had started. */
function hasStarted(status: number | null): boolean {
  return status !== null && status < 400;
}

function explainInterrupted(code: ProblemCode): Explanation {
  if (code === 'shutting_down') return STOPPED_DURING_ANSWER;
  if (code === 'local_limit_reached') return CUT_AT_LIMIT;
  return code.startsWith('upstream_') ? CUT_BY_SERVICE : CUT_BY_GATEHOUSE;
}

const CUT_AT_LIMIT: Explanation = {
  title: 'The answer was ended at a limit',
  meaning:
    'It exceeded a limit of the client, or of all clients, while it ran, and Settings say that such streams are ended.',
  cost: 'The part that was received is charged.',
  advice: ['Change the limit in Clients, or let streams finish in Settings.'],
  place: 'limits',
};

const RETIRED_KEY: Explanation = {
  title: 'The key of this client was revoked or replaced',
  meaning: 'The message says when. Nothing was sent to the service.',
  advice: ['Create a new key in Clients, and enter it in the program.'],
  place: 'clients',
};

const LEFT_BEFORE_ANSWER: Explanation = {
  title: 'The client disconnected before the answer',
  meaning:
    'The client closed its connection. Gatehouse stopped the request to the service at once.',
  cost: 'Work that the service had done by then may be charged.',
  advice: [
    'If you stopped it yourself, this is expected.',
    'If not, the client’s own time limit is probably too short for this model. Set a longer one in the client, or turn on streaming there.',
  ],
  place: null,
};

const LEFT_UNKNOWN: Explanation = {
  title: 'The client disconnected before it was refused',
  meaning: 'The request had no valid local key. It was not sent to the service.',
  cost: 'Nothing is charged.',
  advice: ['Give the program a local key of its own in Clients.'],
  place: 'clients',
};

const LEFT_DURING_ANSWER: Explanation = {
  title: 'The client disconnected during the answer',
  meaning:
    'The answer was in progress when the client closed its connection. Gatehouse stopped the service at once.',
  cost: 'The part that was generated is charged.',
  advice: [
    'If you stopped it yourself, this is expected.',
    'If it happens often, look for a time limit or a limit of length in the client.',
  ],
  place: null,
};

const LEFT_AFTER_ORDER: Explanation = {
  title: 'The client disconnected before the reply to its order',
  meaning:
    'An order that was sent cannot be cancelled, so Gatehouse waited for the answer. See Videos for the result.',
  advice: [
    'Check Videos before you order the same video again.',
    'If the client sends the same order again within ten minutes, it gets the answer to this one.',
  ],
  place: null,
};

const NO_ANSWER: Explanation = {
  title: 'No answer',
  meaning: 'The exchange ended before there was an answer.',
  advice: ['Send the request again. If it fails again, see the log of Gatehouse.'],
  place: null,
};

/** Failures that only the record names: the answer itself said success, or redirected. */
const RECORDED: Readonly<Record<string, Explanation>> = {
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

const FAILED_WITHIN_ANSWER: Explanation = {
  title: 'The service reported an error within its answer',
  meaning:
    'The service reported an error after the answer had started. Gatehouse passed it on unchanged.',
  advice: [
    'Send the request again.',
    'If it happens again with this model, try another one, or ask the operator of the service.',
  ],
  place: null,
};

const CUT_BY_SERVICE: Explanation = {
  title: 'The service cut off the answer',
  meaning:
    'The connection to the service was lost before the answer was complete. The client received an error.',
  cost: 'The part received is probably charged.',
  advice: [
    'Send the request again.',
    'If long answers break off often, something between here and the service may limit how long a connection lasts: a proxy, a VPN, the service itself.',
  ],
  place: null,
};

const CUT_BY_GATEHOUSE: Explanation = {
  title: 'Gatehouse cut off the answer',
  meaning: 'Gatehouse had an internal error during the answer.',
  advice: ['Send the request again. If it fails again, see the log of Gatehouse.'],
  place: null,
};

const STOPPED_DURING_ANSWER: Explanation = {
  title: 'Gatehouse was stopped during the answer',
  meaning: 'Gatehouse stopped before the answer was complete.',
  cost: 'The part received is probably charged.',
  advice: ['Send the request again.'],
  place: null,
};

const MODEL_NOT_FOUND: Explanation = {
  title: 'The service does not know this model',
  meaning:
    'It accepts only exact model ids: no display names, and no ids without their provider prefix. A model that the key may not use can give the same error.',
  advice: ['Copy the exact id from Models and enter it in the client.'],
  place: 'models',
};

const WRONG_PATH: Explanation = {
  title: 'The service does not know this path',
  meaning: 'The base address is the likely cause.',
  advice: ['Copy the base address for this client from Clients.'],
  place: 'clients',
};

const SERVICE_FAILED: Explanation = {
  title: 'The service had an error',
  meaning: 'The service reported an internal error. Your request is probably fine.',
  advice: ['Wait a moment and send the request again.', 'If it persists, try another model.'],
  place: null,
};

const REFUSED: Explanation = {
  title: 'The service refused the request',
  meaning: 'It returned an error for this request.',
  advice: ['See the message of the service, if there is one. The client shows it, too.'],
  place: null,
};

const BY_STATUS: Readonly<Record<number, Explanation>> = {
  400: {
    title: 'The service did not accept the request',
    meaning:
      'Something in the request is wrong for this model: a field, its type, or a value out of range. Ranges such as that of “temperature” differ from model to model.',
    advice: [
      'Read the message of the service: it usually names the field.',
      'Reset special settings of the client for this model: temperature, token limits, thinking.',
    ],
    place: null,
  },
  401: {
    title: 'The service refused the service key',
    meaning:
      'The key that Gatehouse sent is wrong, expired or revoked. No client can work until you change it. The clients’ local keys are not the cause.',
    advice: ['Enter the service key again in Settings and test it there.'],
    place: 'settings',
  },
  403: {
    title: 'The service key has no permission for this',
    meaning:
      'The service knows the key, but this account may not use this model or this kind of request. Video models need their own permission.',
    advice: [
      'Choose a model from Models, or ask the operator to add the permission to the account.',
    ],
    place: 'models',
  },
  404: {
    title: 'The service did not find this',
    meaning: 'The path, model, file or task of the request does not exist there.',
    advice: [
      'Compare the model with its exact id in Models.',
      'Compare the path as it was sent with the base address that the client should use.',
    ],
    place: 'models',
  },
  408: {
    title: 'The service timed out',
    meaning: 'The request was not complete in the time that the service allows.',
    advice: ['Send the request again, or make it smaller.'],
    place: null,
  },
  413: {
    title: 'The request is too large for the service',
    meaning: 'Its body is larger than the service accepts.',
    advice: ['Start a new conversation, or remove files and images.'],
    place: null,
  },
  429: {
    title: 'Too many requests for this key',
    meaning:
      'The rate limit of this key is reached. Gatehouse has already waited and retried where that is safe.',
    advice: [
      'Run fewer agents or parallel requests.',
      'Reduce automatic retries in the client, and wait a moment.',
    ],
    place: null,
  },
};
