import type { ExchangeRecord } from './exchange.ts';
import type { ProblemCode } from '../problem.ts';

/** The part of an exchange that tells how it ended. */
export type Ended = Pick<ExchangeRecord, 'status' | 'errorCode' | 'endedBy'> &
  Partial<Pick<ExchangeRecord, 'clientName' | 'route' | 'attempts'>>;

/**
 * How an exchange ended: with a whole answer, which may be a redirect; with a failure; or because its client left before the end,
 * which is no failure.
 */
export type Ending = 'answered' | 'failed' | 'left';

/** Returns how an exchange ended. Filters, sums, alarms, runs and the words for a failure all divide exchanges in this way. */
export function findEnding({
  status,
  errorCode,
  endedBy,
}: Pick<Ended, 'status' | 'errorCode' | 'endedBy'>): Ending {
  if (errorCode !== null || (status !== null && status >= 400)) return 'failed';
  if (endedBy === 'client') return 'left';
  return status === null ? 'failed' : 'answered';
}

/** Returns whether it is a repeated video order, which got the stored answer of the first one and was not sent. */
export function isRepeatedOrder({ status, errorCode, endedBy, route, attempts }: Ended): boolean {
  const isAnswer = status !== null && status < 400 && errorCode === null;
  return isAnswer && endedBy === 'gateway' && route === 'video-submit' && attempts === 0;
}

/** The words for a repeated video order. */
export const REPEATED_ORDER = 'repeated, not charged';

/** Returns whether it had no valid local key, so that equal ones are counted together, and neither headers nor bodies are kept. */
export function lacksLocalKey(exchange: Ended): boolean {
  return exchange.clientName === null || isRetiredKey(exchange);
}

/** Returns whether it was refused because the key of its client was revoked or replaced. */
export function isRetiredKey({ errorCode, endedBy, clientName }: Ended): boolean {
  return errorCode === 'invalid_local_key' && endedBy === 'gateway' && clientName != null;
}

/** Returns whether it failed because there is no service key or the service refused it. An expired or retired local key is the client's. */
export function failsByServiceKey({
  status,
  errorCode,
}: Pick<Ended, 'status' | 'errorCode'>): boolean {
  if (errorCode === 'expired_local_key' || errorCode === 'invalid_local_key') return false;
  return status === 401 || errorCode?.startsWith('service_key_') === true;
}

/** Describes an answer with success that is no JSON. `what`: what it is instead, as a type or in words. */
export function describeUnexpectedAnswer(what: string): string {
  return `The service answered with ${what} instead of JSON. Likely causes: a sign-in page of this network, a wrong base address of the service, or a maintenance page.`;
}

const MAX_CODE_LENGTH = 40;

/**
 * Describes in a word or a few why an exchange failed, to be shown beside its status: `401 wrong key`, `200 cut off`. `null` for one that
 * was answered completely.
 */
export function describeFailure(ended: Ended): string | null {
  const { status, errorCode } = ended;
  const isError = status !== null && status >= 400;
  if (findEnding(ended) === 'left') return 'client left';
  if (errorCode === 'unexpected_content_type') return GATEWAY_FAILURES[errorCode];
  if (isRetiredKey(ended)) return 'revoked key';
  const own = gatewayCode(ended);
  // The status was sent before the failure, so the client got the beginning of an answer.
  if (own !== null) return status !== null && !isError ? 'cut off' : GATEWAY_FAILURES[own];
  if (isError) return describeServiceError(status, errorCode);
  if (errorCode !== null) return toWords(errorCode);
  return status === null ? 'no answer' : null;
}

/** Returns the code when it is one that Gatehouse itself answered. A service may use the same codes. */
function gatewayCode({ errorCode, endedBy }: Ended): ProblemCode | null {
  const isOwn = endedBy === 'gateway' || errorCode?.startsWith('upstream_') === true;
  return isOwn && errorCode !== null && isProblemCode(errorCode) ? errorCode : null;
}

function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(GATEWAY_FAILURES, code);
}

/** Failures that Gatehouse itself answered, by code. */
export const GATEWAY_FAILURES: Readonly<Record<ProblemCode, string>> = {
  malformed_request: 'not HTTP',
  absolute_target: 'absolute URL',
  invalid_path: 'invalid path',
  undecodable_body: 'unreadable body',
  body_too_complex: 'body too complex',
  missing_local_key: 'no key',
  malformed_local_key: 'malformed key',
  invalid_local_key: 'wrong key',
  expired_local_key: 'expired key',
  origin_not_allowed: 'web page',
  unknown_path: 'unknown path',
  request_timeout: 'request too slow',
  order_unsure: 'order unsure',
  body_too_large: 'too large',
  host_not_allowed: 'wrong host',
  https_not_supported: 'https:// address',
  upload_unclear: 'upload unclear',
  upgrade_not_supported: 'WebSocket',
  local_limit_reached: 'limit reached',
  local_model_refused: 'model refused',
  local_agent_stopped: 'agent stopped',
  local_rate_reached: 'local rate limit',
  too_many_exchanges: 'too many at once',
  service_limit_reached: 'service limit',
  transfer_coding_not_supported: 'transfer coding',
  upstream_unreachable: 'unreachable',
  upstream_connection_lost: 'connection lost',
  upstream_invalid_answer: 'invalid answer',
  unexpected_content_type: 'not JSON',
  redirect_refused: 'unsafe redirect',
  redirect_unreachable: 'redirect failed',
  loop_detected: 'loop',
  service_key_missing: 'no service key',
  service_key_locked: 'key locked',
  service_unavailable: 'service down',
  service_changed: 'service changed',
  memory_full: 'memory full',
  paused: 'paused',
  order_not_kept: 'disk error',
  shutting_down: 'shutting down',
  gateway_stopped: 'Gatehouse ended',
  internal_error: 'internal error',
  upstream_timeout: 'service too slow',
};

/** Describes an error of the service by its code, which says more than the status where there is one. */
function describeServiceError(status: number, errorCode: string | null): string {
  // Its code is about the service key; the local key of the client was right.
  if (status === 401) return 'service key refused';
  if (errorCode !== null && !/^\d*$/u.test(errorCode)) return toWords(errorCode);
  return SERVICE_FAILURES[status] ?? (status >= 500 ? 'service error' : 'refused');
}

/** Errors of the service without a code of their own, by status. */
export const SERVICE_FAILURES: Readonly<Record<number, string>> = {
  400: 'not accepted',
  402: 'payment required',
  403: 'not allowed',
  404: 'not found',
  408: 'timed out',
  413: 'too large',
  429: 'too many requests',
  503: 'service not ready',
  504: 'service too slow',
  529: 'service overloaded',
};

function toWords(code: string): string {
  const words = code.replaceAll('_', ' ');
  return words.length > MAX_CODE_LENGTH ? `${words.slice(0, MAX_CODE_LENGTH - 1)}…` : words;
}
