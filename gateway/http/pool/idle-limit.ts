/** Closes within this time belong to one event, such as a restart of the service. */
const ONE_EVENT_MS = 1_000;
/** Largest difference of two idle times that count as the same, as a share of the longer one. */
const TOLERANCE = 0.2;
/** Distance of the limit from the idle time of the service: a share of it, and at least a second. */
const MARGIN = 0.1;
const MIN_MARGIN_MS = 1_000;
/** Everything learned is forgotten after this time, so that a wrong lesson heals. */
const MEMORY_MS = 3_600_000;

interface CloseEvent {
  /** The idle time; `null` when connections with different idle times were closed at once. */
  readonly idleMs: number | null;
  readonly at: number;
}

/**
 * Learns for how long a service keeps idle connections. Two closes in a row after about the same idle time set the limit below that
 * time; a single close, by a deployment or a restart, sets none. It has no effects. All times are milliseconds of one monotonic clock.
 */
export class IdleLimit {
  #limit: { readonly ms: number; readonly at: number } | null = null;
  #latest: CloseEvent | null = null;

  /** Returns the longest idle time that is safe; `null` when nothing is known. */
  limitMs(now: number): number | null {
    return this.#limit !== null && now - this.#limit.at < MEMORY_MS ? this.#limit.ms : null;
  }

  /** Records that the service closed a connection that was idle for `idleMs`. */
  closed(idleMs: number, now: number): void {
    const before = this.#latest;
    if (before !== null && now - before.at < ONE_EVENT_MS) {
      const agrees = before.idleMs !== null && areSimilar(before.idleMs, idleMs);
      if (!agrees) this.#latest = { idleMs: null, at: before.at };
      return;
    }
    this.#latest = { idleMs, at: now };
    if (before === null || before.idleMs === null || now - before.at >= MEMORY_MS) return;
    if (!areSimilar(before.idleMs, idleMs)) return;
    const shorter = Math.min(before.idleMs, idleMs);
    const ms = Math.max(0, shorter - Math.max(MIN_MARGIN_MS, shorter * MARGIN));
    this.#limit = { ms, at: now };
  }
}

function areSimilar(one: number, other: number): boolean {
  return Math.abs(one - other) <= TOLERANCE * Math.max(one, other);
}
