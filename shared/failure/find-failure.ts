import { type Ended, findEnding, isRetiredKey } from '../exchange/outcome.ts';
import { isProblemCode, type ProblemCode, PROBLEMS } from '../problem.ts';

/*
 * The words for each kind of failure stand alone, because the first screen needs nothing else of it; the explanations are in the files
 * beside this one.
 */

/** Failures that Gatehouse answers or records in its own name. */
const GATEWAY_WORDS = {
  malformed_request: 'not HTTP',
  https_not_supported: 'https:// address',
  absolute_target: 'absolute URL',
  invalid_path: 'invalid path',
  undecodable_body: 'unreadable body',
  body_too_complex: 'body too complex',
  missing_local_key: 'no key',
  malformed_local_key: 'malformed key',
  invalid_local_key: 'wrong key',
  expired_local_key: 'expired key',
  local_limit_reached: 'limit reached',
  local_agent_stopped: 'agent stopped',
  origin_not_allowed: 'web page',
  local_model_refused: 'model refused',
  local_request_refused: 'person refused',
  unknown_path: 'unknown path',
  request_timeout: 'request too slow',
  order_unsure: 'order unsure',
  body_too_large: 'too large',
  host_not_allowed: 'wrong host',
  upload_unclear: 'upload unclear',
  upgrade_not_supported: 'WebSocket',
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
  upstream_timeout: 'no connection',
} as const satisfies Readonly<Record<ProblemCode, string>>;

/** Error statuses of the service, and its code for a model that it does not know. */
const STATUS_WORDS = {
  http_400: 'not accepted',
  http_401: 'service key refused',
  http_402: 'payment required',
  http_403: 'not allowed',
  http_404: 'not found',
  http_408: 'timed out',
  http_413: 'too large',
  http_429: 'too many requests',
  http_503: 'service not ready',
  http_504: 'service too slow',
  http_529: 'service overloaded',
  http_5xx: 'service error',
  http_4xx: 'refused',
  model_not_found: 'model not found',
} as const;

/** Failures that only the record names: the answer itself said success, or redirected. */
const RECORDED_WORDS = {
  redirected: 'redirected',
  not_a_video: 'not a video',
  download_failed: 'download failed',
} as const;

const OTHER_WORDS = {
  cut_at_limit: 'cut off',
  left_before_answer: 'client left',
  left_without_key: 'client left',
  left_during_answer: 'client left',
  left_after_order: 'client left',
  no_answer: 'no answer',
  error_within_answer: 'error in the answer',
  cut_by_service: 'cut off',
  cut_by_gatehouse: 'cut off',
  stopped_during_answer: 'cut off',
  retired_key: 'revoked key',
  wrong_path: 'not found',
} as const;

/** A few words for each kind of failure, to be shown beside a status: `401 wrong key`. */
export const FAILURE_WORDS = {
  ...GATEWAY_WORDS,
  ...STATUS_WORDS,
  ...RECORDED_WORDS,
  ...OTHER_WORDS,
};

export type StatusKind = keyof typeof STATUS_WORDS;
export type RecordedKind = keyof typeof RECORDED_WORDS;
export type OtherKind = keyof typeof OTHER_WORDS;
export type FailureKind = keyof typeof FAILURE_WORDS;

const MAX_CODE_LENGTH = 40;

/**
 * Describes in a word or a few why an exchange failed, to be shown beside its status: `401 wrong key`, `200 cut off`. A code of the
 * service is quoted, because it says more than the status. `null` for one that was answered whole.
 */
export function describeFailure(ended: Ended): string | null {
  const kind = findFailure(ended);
  if (kind === null) return null;
  return quotesService(ended) ? toWords(ended.errorCode ?? '') : FAILURE_WORDS[kind];
}

/** Returns why an exchange failed; `null` for one that was answered whole. */
export function findFailure(ended: Ended): FailureKind | null {
  const { status, errorCode } = ended;
  if (isRetiredKey(ended)) return 'retired_key';
  const own = findOwnCode(ended);
  if (own !== null) return hasStarted(status) ? findInterruption(own) : own;
  if (findEnding(ended) === 'left') return findDeparture(ended);
  if (status === null || status < 400) {
    if (errorCode !== null && isRecordedKind(errorCode)) return errorCode;
    if (status === null) return 'no_answer';
    return errorCode === null ? null : 'error_within_answer';
  }
  if (errorCode === 'model_not_found') return errorCode;
  if (status === 404 && ended.route === 'other') return 'wrong_path';
  return toStatusKind(status);
}

/** Returns the kind of an error status of the service. */
export function toStatusKind(status: number): StatusKind {
  const kind = `http_${status}`;
  if (isStatusKind(kind)) return kind;
  return status >= 500 ? 'http_5xx' : 'http_4xx';
}

/** Whether the error code is in words of the service. What it says of a key is about the service key, which our words tell better. */
function quotesService(ended: Ended): boolean {
  const { status, errorCode } = ended;
  if (errorCode === null || status === 401 || findOwnCode(ended) !== null) return false;
  return /[^\d]/u.test(errorCode);
}

/** Returns the code when Gatehouse answered or recorded it. A service may use the same codes for its own errors. */
function findOwnCode({ errorCode, endedBy, status }: Ended): ProblemCode | null {
  if (errorCode === null || !isProblemCode(errorCode)) return null;
  const isOwn =
    endedBy === 'gateway' ||
    (errorCode === 'unexpected_content_type' && hasStarted(status)) ||
    (errorCode.startsWith('upstream_') &&
      (status === null || status < 400 || status === PROBLEMS[errorCode].status));
  return isOwn ? errorCode : null;
}

/** Returns what a failure of Gatehouse is after the status of an answer had been passed on. */
function findInterruption(code: ProblemCode): FailureKind {
  if (code === 'unexpected_content_type') return code;
  if (code === 'shutting_down') return 'stopped_during_answer';
  if (code === 'local_limit_reached') return 'cut_at_limit';
  return code.startsWith('upstream_') ? 'cut_by_service' : 'cut_by_gatehouse';
}

function findDeparture({ clientName, route, status }: Ended): FailureKind {
  if (clientName === null) return 'left_without_key';
  if (route === 'video-submit') return 'left_after_order';
  return hasStarted(status) ? 'left_during_answer' : 'left_before_answer';
}

/** Whether the beginning of an answer had been passed on. */
function hasStarted(status: number | null): boolean {
  return status !== null && status < 400;
}

function isRecordedKind(code: string): code is RecordedKind {
  return Object.hasOwn(RECORDED_WORDS, code);
}

function isStatusKind(kind: string): kind is StatusKind {
  return Object.hasOwn(STATUS_WORDS, kind);
}

function toWords(code: string): string {
  const words = code.replaceAll('_', ' ');
  return words.length > MAX_CODE_LENGTH ? `${words.slice(0, MAX_CODE_LENGTH - 1)}…` : words;
}
