/** How one attempt ended, as far as asking again is concerned. */
export type AttemptOutcome =
  | { readonly kind: 'throttled'; readonly retryAfter: string | null }
  | { readonly kind: 'nothing-sent' };

export interface RetryState {
  /** Attempts made so far, 1 after the first. */
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
 * How long to wait before asking again, in milliseconds, or `null` when the answer should be passed on:
 * at most two repetitions, all within 20 seconds, and `Retry-After` (RFC 9110 section 10.2.3) is obeyed or not tried at all.
 */
export function retryDelayMs(outcome: AttemptOutcome, situation: RetryState): number | null {
  if (situation.attempts >= MAX_ATTEMPTS) return null;
  const backoff = FIRST_PAUSE_MS * 2 ** (situation.attempts - 1) * (0.75 + situation.jitter / 2);
  const asked =
    outcome.kind === 'throttled' ? parseRetryAfter(outcome.retryAfter, situation.now) : null;
  const pause = Math.max(backoff, asked ?? 0);
  return situation.elapsedMs + pause <= BUDGET_MS ? pause : null;
}

/** Milliseconds that a `Retry-After` value asks for (seconds or an HTTP date), or `null` when it says nothing usable. */
export function parseRetryAfter(value: string | null, now: number): number | null {
  if (value === null) return null;
  const text = value.trim();
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text) * 1000;
  const date = Date.parse(text);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
