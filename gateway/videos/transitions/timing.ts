/** How often the service is asked, in milliseconds. */
export interface VideoTiming {
  /** Between two questions about a task lie this much and up to `spreadMs` more (spec section 8: 5 to 10 s). */
  readonly pollMs: number;
  readonly spreadMs: number;
  /** After failures it becomes twice as long each time, up to this, unless the service asks for more. */
  readonly slowestPollMs: number;
  /** The first pause after a failed upload, order or download, and the longest one. */
  readonly retryMs: number;
  readonly slowestRetryMs: number;
  /** Until it is looked again whether there is a way to the service; a change of keys or services is noticed at once. */
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

/** What a delay depends on: failures in a row, a number from 0 to below 1, and what the service asks for. */
export interface Delay {
  readonly tries: number;
  readonly jitter: number;
  readonly retryAfterMs: number | null;
}

/** Beyond this many failures the delay is the slowest anyway. */
const MAX_DOUBLINGS = 20;

/** Until the next question about a task. */
export function toPollDelay({ tries, jitter, retryAfterMs }: Delay, timing: VideoTiming): number {
  const usual = (timing.pollMs + jitter * timing.spreadMs) * toBackoffFactor(tries);
  return Math.ceil(Math.max(Math.min(usual, timing.slowestPollMs), retryAfterMs ?? 0));
}

/** Until something that failed is tried again. */
export function toRetryDelay({ tries, jitter, retryAfterMs }: Delay, timing: VideoTiming): number {
  const usual = timing.retryMs * toBackoffFactor(tries) * (1 + jitter / 2);
  return Math.ceil(Math.max(Math.min(usual, timing.slowestRetryMs), retryAfterMs ?? 0));
}

function toBackoffFactor(tries: number): number {
  return 2 ** Math.min(tries, MAX_DOUBLINGS);
}
