import { stateUnexpectedAnswer, UNEXPECTED_ANSWER_CAUSES } from '../../shared/exchange/outcome.ts';
import { toStatusKind } from '../../shared/failure/find-failure.ts';
import { STATUS_FAILURES } from '../../shared/failure/service-failures.ts';
import { describeConnectionFailure, isTlsCode } from '../../shared/unreachable.ts';

/** Result of a test of the service key. `code` is stable for scripts; `sentence` and `advice` are for people. */
export interface KeyTestResult {
  readonly accepted: boolean;
  readonly code: KeyTestCode;
  readonly sentence: string;
  readonly advice: string;
}

export type KeyTestCode =
  | 'accepted'
  | 'key_refused'
  | 'key_forbidden'
  | 'wrong_address'
  | 'rate_limited'
  | 'redirected'
  | 'service_error'
  | 'unexpected_status'
  | 'name_not_found'
  | 'connection_refused'
  | 'tls_failed'
  | 'proxy_failed'
  | 'loop'
  | 'list_too_large'
  | 'timeout'
  | 'unreachable';

type KeyTestTexts = readonly [code: KeyTestCode, sentence: string, advice: string];

/** Explains the status of `GET /v1/models` called with the key (spec sections 5 and 7). `command`: see `Host.command`; `null` where the key is typed on a page. */
export function explainKeyStatus(
  status: number,
  command: string | null = 'gatehouse',
): KeyTestResult {
  const [code, sentence, advice] = describeStatus(status, command);
  return { accepted: code === 'accepted', code, sentence, advice };
}

/**
 * Explains a successful answer without a model list: no service has judged the key. `what`: what it is instead of JSON, such as
 * a web page; `null` when it is JSON.
 */
export function explainNoModelList(status: number, what: string | null): KeyTestResult {
  const refused = { accepted: false, code: 'wrong_address' } as const;
  if (what !== null) {
    return {
      ...refused,
      sentence: stateUnexpectedAnswer(what),
      advice: UNEXPECTED_ANSWER_CAUSES,
    };
  }
  return {
    ...refused,
    sentence: `A server answers at this address (${status}), but not with a model list, so the key was not tested.`,
    advice: 'Check the base address: it is the address of the API.',
  };
}

/** Explains why the call got no answer, or an unreadable one; this says nothing about the key. */
export function explainKeyError(error: unknown): KeyTestResult {
  const [code, sentence, advice] = describeError(findErrorCode(error));
  return { accepted: false, code, sentence, advice };
}

const CODES: Readonly<Record<number, KeyTestCode>> = {
  401: 'key_refused',
  403: 'key_forbidden',
  429: 'rate_limited',
};

function describeStatus(status: number, command: string | null): KeyTestTexts {
  if (status >= 200 && status < 300) {
    return ['accepted', 'The service accepted the key.', ''];
  }
  if (status >= 300 && status < 400) {
    return [
      'redirected',
      `The service redirects this address to another one (${status}). The key was not sent there.`,
      'Use the address that the service itself names as its base address.',
    ];
  }
  const { title, inKeyTest } = STATUS_FAILURES[toStatusKind(status)];
  if (status === 404) {
    return [
      'wrong_address',
      'There is no model list at this address (404), so the key was not tested.',
      inKeyTest,
    ];
  }
  const code = CODES[status] ?? (status >= 500 ? 'service_error' : 'unexpected_status');
  const isJudged = code === 'key_refused' || code === 'key_forbidden';
  const setKey =
    code === 'key_refused' && command !== null ? ` Then run "${command} key set".` : '';
  return [
    code,
    `${title} (${status})${isJudged ? '' : ', so the key was not tested'}.`,
    `${inKeyTest}${setKey}`,
  ];
}

function describeError(code: string): KeyTestTexts {
  if (code === 'PROXY_FAILED') {
    return [
      'proxy_failed',
      'The proxy did not connect to the service. The key was not sent.',
      'Check the address of the proxy, that it is running, and that it allows this machine to connect to the service.',
    ];
  }
  if (code === 'loop_detected') {
    return [
      'loop',
      'This address leads back to Gatehouse itself. The key was not sent.',
      'Set the base address of the service.',
    ];
  }
  if (code === 'MODEL_LIST_TOO_LARGE') {
    return [
      'list_too_large',
      'This address sends more than 16 MiB as its model list, so the key was not tested.',
      'Check the base address. If it is right, the service has to send a shorter list.',
    ];
  }
  if (/TIMEOUT|TIMEDOUT|ABORT/iu.test(code)) {
    return [
      'timeout',
      'The service did not answer in time, so the key was not tested.',
      'Try again. If it keeps failing, check the network and any proxy.',
    ];
  }
  const { cause, advice } = describeConnectionFailure(code);
  const kind = toConnectionCode(code);
  const key = kind === 'unreachable' ? 'The key was not tested.' : 'The key was not sent.';
  return [kind, `The service could not be reached. ${cause} ${key}`, advice];
}

function toConnectionCode(code: string): KeyTestCode {
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name_not_found';
  if (code === 'ECONNREFUSED') return 'connection_refused';
  return isTlsCode(code) ? 'tls_failed' : 'unreachable';
}

/** Searches `cause` and `errors`, because undici and fetch wrap one or several system errors in them. */
function findErrorCode(error: unknown): string {
  if (!(error instanceof Error)) {
    return 'unknown reason';
  }
  if ('code' in error && typeof error.code === 'string') {
    return error.code;
  }
  if (error instanceof AggregateError && error.errors.length > 0) {
    return findErrorCode(error.errors[0]);
  }
  return error.cause === undefined ? error.name : findErrorCode(error.cause);
}
