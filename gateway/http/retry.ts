/** The outcome of an attempt that may be retried. */
export type AttemptOutcome =
  | { readonly kind: 'throttled'; readonly retryAfter: string | null }
  | { readonly kind: 'nothing-sent' };

export interface RetryState {
  /** Number of attempts so far; 1 after the first. */
  readonly attempts: number;
  /** Milliseconds since the first attempt began. */
  readonly elapsedMs: number;
  /** Unix time in milliseconds, for `Retry-After` dates. */
  readonly now: number;
  /** A random number in [0, 1) that spreads simultaneous retries. */
  readonly jitter: number;
}

const MAX_ATTEMPTS = 3;
const BUDGET_MS = 20_000;
const FIRST_PAUSE_MS = 500;

/**
 * Returns the delay before a retry in milliseconds; `null` when the answer should be passed on. There are at most two retries within 20
 * seconds. `Retry-After` (RFC 9110 section 10.2.3) is obeyed, or there is no retry.
 */
export function retryDelayMs(outcome: AttemptOutcome, state: RetryState): number | null {
  if (state.attempts >= MAX_ATTEMPTS) return null;
  const backoff = FIRST_PAUSE_MS * 2 ** (state.attempts - 1) * (0.75 + state.jitter / 2);
  const retryAfterMs =
    outcome.kind === 'throttled' ? parseRetryAfter(outcome.retryAfter, state.now) : null;
  const pause = Math.max(backoff, retryAfterMs ?? 0);
  return state.elapsedMs + pause <= BUDGET_MS ? pause : null;
}

/** Parses a `Retry-After` value, seconds or an HTTP date, to milliseconds; `null` when it is neither. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
