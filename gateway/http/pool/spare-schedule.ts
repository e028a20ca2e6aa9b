/** A spare connection is kept ready for this long after the latest request of a client. */
export const ACTIVE_MS = 15 * 60_000;
/** A spare is opened this long before the last idle connection would be closed. */
export const LEAD_MS = 1_000;
/** First and longest delay after a spare that ended unused. */
export const FIRST_DELAY_MS = 1_000;
export const MAX_DELAY_MS = 5 * 60_000;
/** A spare that lived this long was not closed at once. */
const LONG_LIFE_MS = 60_000;

/**
 * Decides when a spare connection is opened: while clients are active and no idle connection is left, less and less often when the
 * service closes it unused. It has no effects. All times are milliseconds of one monotonic clock.
 */
export class SpareSchedule {
  #activeAt: number | null = null;
  #failures = 0;
  #notBefore = Number.NEGATIVE_INFINITY;

  /** The time until which a spare is kept; in the past when no client is active. */
  get activeUntil(): number {
    return this.#activeAt === null ? Number.NEGATIVE_INFINITY : this.#activeAt + ACTIVE_MS;
  }

  /** Records that a client is active. */
  active(now: number): void {
    this.#activeAt = now;
  }

  /** Records that the spare was used, or may be possible again after a change. */
  reset(): void {
    this.#failures = 0;
    this.#notBefore = Number.NEGATIVE_INFINITY;
  }

  /** Records that the spare could not be opened (`livedMs` is 0) or was closed by the service before it was used. */
  failed(livedMs: number, now: number): void {
    if (livedMs >= LONG_LIFE_MS) this.#failures = 0;
    this.#notBefore = now + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** this.#failures);
    this.#failures += 1;
  }

  /**
   * Returns when to open a spare; `null` when not before the next request. `idleUntil` is the time at which the last idle connection
   * will be closed; `null` when there is none.
   */
  openAt(now: number, idleUntil: number | null): number | null {
    const wanted = idleUntil === null ? now : idleUntil - LEAD_MS;
    const at = Math.max(now, wanted, this.#notBefore);
    return at < this.activeUntil ? at : null;
  }
}
