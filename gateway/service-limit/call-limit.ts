/** The round in which a call was sent: calls that were sent before the latest 429 belong to the same burst. */
export type Round = number;

/** Pause after the first 429, unless the service asks for a longer one, in milliseconds. It doubles with each burst. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** Maximum of `Retry-After` that is obeyed, so that a mistaken one does not block everything for a day. */
export const MAX_HOLD_MS = 600_000;
/** Interval in which the limit grows by one call. */
export const GROWTH_MS = 2_000;
/** So long after the pause and after the latest call, one more call is sent although the limit is reached. */
export const TRY_MS = 2_000;
/** After so long without a 429 the limit is dropped when it is not needed. */
export const FORGET_MS = 300_000;

/**
 * Computes how many calls a service gets at the same time: any number until it answers 429, then additive increase and multiplicative
 * decrease (as in RFC 5681 section 3.1). It has no effects. All times are milliseconds of one monotonic clock.
 */
export class CallLimit {
  #limit: number | null = null;
  #inFlight = 0;
  /** The present round, which increases with each burst of 429 answers. */
  #round: Round = 0;
  /** The first round since the latest reset. The outcome of a call of an earlier one says nothing any more. */
  #since: Round = 0;
  /** Number of bursts since the latest success. */
  #bursts = 0;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #throttledAt = Number.NEGATIVE_INFINITY;
  #grewAt = Number.NEGATIVE_INFINITY;
  #sentAt = Number.NEGATIVE_INFINITY;

  /** The maximum of simultaneous calls, at least 1; `null` for any number. */
  get limit(): number | null {
    return this.#limit;
  }

  /** Number of calls whose answers are not complete. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Returns the milliseconds until the pause ends. */
  holdMs(now: number): number {
    return Math.max(0, this.#heldUntil - now);
  }

  /** Whether a call may be sent. Long streams may use up the limit for minutes, so one call is sent nevertheless after a while. */
  maySend(now: number): boolean {
    return this.#heldUntil <= now && (this.#hasRoom || this.#nextTryAt <= now);
  }

  /** Returns the milliseconds until a call may be sent although no other one ends. */
  nextRoomMs(now: number): number {
    if (this.#hasRoom) return this.holdMs(now);
    const grows = this.#bursts > 0 ? Number.POSITIVE_INFINITY : this.#grewAt + GROWTH_MS;
    return Math.max(this.holdMs(now), Math.min(grows, this.#nextTryAt) - now);
  }

  recordSent(now: number): Round {
    this.#inFlight += 1;
    this.#sentAt = now;
    return this.#round;
  }

  /** Records that a call has ended. */
  recordEnd(): void {
    this.#inFlight -= 1;
  }

  /**
   * Records a 429: halves the limit, once per burst, and starts a pause. `retryAfterMs` is the delay that the service asks for; `null`
   * when it does not.
   */
  recordThrottled(round: Round, retryAfterMs: number | null, now: number): void {
    if (round < this.#since) return;
    const requestedMs = Math.min(MAX_HOLD_MS, retryAfterMs ?? 0);
    this.#throttledAt = now;
    this.#heldUntil = Math.max(this.#heldUntil, now + requestedMs);
    if (round !== this.#round) return;
    const before = Math.min(this.#limit ?? Number.POSITIVE_INFINITY, this.#inFlight);
    this.#limit = Math.max(1, Math.floor(before / 2));
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#bursts);
    this.#heldUntil = Math.max(this.#heldUntil, now + pause);
    this.#grewAt = this.#heldUntil;
    this.#round += 1;
    this.#bursts += 1;
  }

  /** Records a success of a call that was sent after the latest 429. The limit grows from then on. */
  recordSuccess(round: Round, now: number): void {
    if (round !== this.#round || this.#bursts === 0) return;
    this.#bursts = 0;
    this.#grewAt = Math.max(this.#heldUntil, now);
  }

  /** Lets the limit grow with time, and drops one that is not needed. `waiting` is the number of queued calls. */
  update(waiting: number, now: number): void {
    if (this.#limit === null) return;
    if (waiting === 0 && this.#hasRoom && now - this.#throttledAt >= FORGET_MS) this.forget();
    const steps = this.#bursts > 0 ? 0 : Math.floor((now - this.#grewAt) / GROWTH_MS);
    if (this.#limit === null || steps <= 0) return;
    this.#limit += steps;
    this.#grewAt += steps * GROWTH_MS;
  }

  /** Resets everything, because another key has other limits. */
  forget(): void {
    this.#limit = null;
    this.#round += 1;
    this.#since = this.#round;
    this.#bursts = 0;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
  }

  get #nextTryAt(): number {
    return Math.max(this.#sentAt, this.#heldUntil) + TRY_MS;
  }

  get #hasRoom(): boolean {
    return this.#limit === null || this.#inFlight < this.#limit;
  }
}
