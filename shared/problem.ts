/**
 * The answers that Gatehouse gives in its own name. The list is closed: a new failure needs a new line here. `status` is the
 * HTTP status, `type` the error class in the service's error body (spec section 7). `bodyCode` is the code in that body where
 * the service has its own for the case; the history and the header `x-gatehouse-error` use ours.
 */
export const PROBLEMS = {
  malformed_request: { status: 400, type: 'invalid_request_error' },
  https_not_supported: { status: 400, type: 'invalid_request_error' },
  absolute_target: { status: 400, type: 'invalid_request_error' },
  invalid_path: { status: 400, type: 'invalid_request_error' },
  undecodable_body: { status: 400, type: 'invalid_request_error' },
  body_too_complex: { status: 400, type: 'invalid_request_error' },
  missing_local_key: { status: 401, type: 'authentication_error', bodyCode: 'invalid_api_key' },
  malformed_local_key: { status: 401, type: 'authentication_error', bodyCode: 'invalid_api_key' },
  invalid_local_key: { status: 401, type: 'authentication_error', bodyCode: 'invalid_api_key' },
  expired_local_key: { status: 401, type: 'authentication_error', bodyCode: 'invalid_api_key' },
  /** 400 on Responses, whose clients repeat 402. */
  local_limit_reached: { status: 402, type: 'billing_error' },
  /** 400 on Responses, too. */
  local_agent_stopped: { status: 402, type: 'billing_error' },
  origin_not_allowed: { status: 403, type: 'permission_error' },
  /** 400 on Responses, whose clients repeat 403. */
  local_model_refused: { status: 403, type: 'permission_error' },
  /** 400 on Responses, too. Some clients of Messages send a request again in other forms after 400. */
  local_request_refused: { status: 403, type: 'permission_error' },
  unknown_path: { status: 404, type: 'not_found_error' },
  request_timeout: { status: 408, type: 'timeout_error' },
  order_unsure: { status: 409, type: 'invalid_request_error' },
  body_too_large: { status: 413, type: 'request_too_large' },
  host_not_allowed: { status: 421, type: 'invalid_request_error' },
  upload_unclear: { status: 422, type: 'invalid_request_error' },
  upgrade_not_supported: { status: 426, type: 'invalid_request_error' },
  local_rate_reached: { status: 429, type: 'rate_limit_error' },
  too_many_exchanges: { status: 429, type: 'rate_limit_error' },
  service_limit_reached: { status: 429, type: 'rate_limit_error' },
  transfer_coding_not_supported: { status: 501, type: 'invalid_request_error' },
  upstream_unreachable: { status: 502, type: 'api_error' },
  upstream_connection_lost: { status: 502, type: 'api_error' },
  upstream_invalid_answer: { status: 502, type: 'api_error' },
  /** Only recorded: the client gets the answer of the service as it is. */
  unexpected_content_type: { status: 502, type: 'api_error' },
  redirect_refused: { status: 502, type: 'api_error' },
  redirect_unreachable: { status: 502, type: 'api_error' },
  loop_detected: { status: 502, type: 'api_error' },
  service_key_missing: { status: 503, type: 'api_error' },
  service_key_locked: { status: 503, type: 'api_error' },
  service_unavailable: { status: 503, type: 'api_error' },
  service_changed: { status: 503, type: 'api_error' },
  memory_full: { status: 503, type: 'api_error' },
  paused: { status: 503, type: 'api_error' },
  order_not_kept: { status: 503, type: 'api_error' },
  shutting_down: { status: 503, type: 'api_error' },
  /** Only recorded, at the next start: the process ended meanwhile. */
  gateway_stopped: { status: 503, type: 'api_error' },
  internal_error: { status: 503, type: 'api_error' },
  upstream_timeout: { status: 504, type: 'timeout_error' },
} as const satisfies Record<string, { status: number; type: string; bodyCode?: string }>;

export type ProblemCode = keyof typeof PROBLEMS;

/** Returns whether Gatehouse has an error with this code. */
export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(PROBLEMS, code);
}

export interface ProblemOptions extends ErrorOptions {
  readonly retryAfterS?: number;
}

/** Returns the code for the error body: the service's own where it has one for the case, otherwise ours. */
export function toWireCode(code: ProblemCode): string {
  const known: { readonly status: number; readonly bodyCode?: string } = PROBLEMS[code];
  return known.bodyCode ?? code;
}

/** An expected failure. Any other thrown error is a bug. */
export class Problem extends Error {
  readonly code: ProblemCode;
  /** Seconds until a retry makes sense; `null` when that is clear from the code, or unknown. */
  readonly retryAfterS: number | null;

  constructor(code: ProblemCode, message: string, options: ProblemOptions = {}) {
    super(message, options);
    this.name = 'Problem';
    this.code = code;
    this.retryAfterS = options.retryAfterS ?? null;
  }
}
