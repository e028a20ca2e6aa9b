/** Intervals of requests to the service, in milliseconds. */
export interface VideoTiming {
  /** Interval of polls; up to `spreadMs` is added (spec section 8: 5 to 10 s). */
  readonly pollMs: number;
  readonly spreadMs: number;
  /** Longest interval of polls. It doubles with each failure, unless the service asks for more. */
  readonly slowestPollMs: number;
  /** First and longest delay after a failed upload, order or download. */
  readonly retryMs: number;
  readonly slowestRetryMs: number;
  /** Interval of checks of a blocked job. A change of keys or services is noticed at once. */
  readonly blockedMs: number;
}

export const DEFAULT_TIMING: VideoTiming = {
  pollMs: 5_000,
  spreadMs: 5_000,
  slowestPollMs: 120_000,
  retryMs: 5_000,
  slowestRetryMs: 600_000,
  blockedMs: 60_000,
};

/** The inputs of a delay: consecutive failures, a random number in [0, 1), and the delay that the service asks for. */
export interface Delay {
  readonly tries: number;
  readonly jitter: number;
  readonly retryAfterMs: number | null;
}

/** Beyond this many failures the delay is the longest one. */
const MAX_DOUBLINGS = 20;

/** Returns the delay until the next poll. */
export function toPollDelay({ tries, jitter, retryAfterMs }: Delay, timing: VideoTiming): number {
  const usual = (timing.pollMs + jitter * timing.spreadMs) * toBackoffFactor(tries);
  return Math.ceil(Math.max(Math.min(usual, timing.slowestPollMs), retryAfterMs ?? 0));
}

/** Returns the delay until the next attempt. */
export function toRetryDelay({ tries, jitter, retryAfterMs }: Delay, timing: VideoTiming): number {
  const usual = timing.retryMs * toBackoffFactor(tries) * (1 + jitter / 2);
  return Math.ceil(Math.max(Math.min(usual, timing.slowestRetryMs), retryAfterMs ?? 0));
}

function toBackoffFactor(tries: number): number {
  return 2 ** Math.min(tries, MAX_DOUBLINGS);
}
