/** When a call left: calls that left before the latest 429 came belong to one burst with it. */
export type Round = number;

/** The pause after the first 429 when the service asks for no longer one; it doubles with each further burst, in milliseconds. */
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 15_000;
/** `Retry-After` is heeded up to this: a mistaken one must not lock everybody out for a day. */
export const MAX_HOLD_MS = 600_000;
/** The limit grows by one call in this time. */
export const GROWTH_MS = 2_000;
/** After the pause, and after the latest call that left, one call leaves even though all places are taken. */
export const TRY_MS = 2_000;
/** Without a 429 for this long the limit is forgotten, once it is not needed. */
export const FORGET_MS = 300_000;

/**
 * How many calls one service gets at the same time: any number until it answers 429, then additive increase and multiplicative
 * decrease (as in RFC 5681 section 3.1). Decides only. All times are milliseconds on one monotonic clock.
 */
export class CallLimit {
  #limit: number | null = null;
  #inFlight = 0;
  /** Goes up with each burst of 429 answers. */
  #round: Round = 0;
  /** Calls of an earlier round say nothing any more. */
  #since: Round = 0;
  /** Bursts since the latest good answer. */
  #bursts = 0;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #throttledAt = Number.NEGATIVE_INFINITY;
  #grewAt = Number.NEGATIVE_INFINITY;
  #leftAt = Number.NEGATIVE_INFINITY;

  /** Calls at the same time, at least 1; `null` for any number. */
  get limit(): number | null {
    return this.#limit;
  }

  /** Calls whose answers are not complete. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** Milliseconds in which nothing leaves. */
  holdMs(now: number): number {
    return Math.max(0, this.#heldUntil - now);
  }

  /** Long streams may fill all places for many minutes, so one call leaves all the same when none has left for a while. */
  mayLeave(now: number): boolean {
    return this.#heldUntil <= now && (this.#hasRoom || this.#nextTryAt <= now);
  }

  /** Milliseconds until a call may leave without another one ending. */
  nextRoomMs(now: number): number {
    if (this.#hasRoom) return this.holdMs(now);
    const grows = this.#bursts > 0 ? Number.POSITIVE_INFINITY : this.#grewAt + GROWTH_MS;
    return Math.max(this.holdMs(now), Math.min(grows, this.#nextTryAt) - now);
  }

  leave(now: number): Round {
    this.#inFlight += 1;
    this.#leftAt = now;
    return this.#round;
  }

  /** The answer of a call is complete, or there will be none. */
  end(): void {
    this.#inFlight -= 1;
  }

  /**
   * The service answered 429: the limit is halved, once for a burst, and nothing leaves for a while. `retryAfterMs`: as the service
   * asks for it; `null` when it does not.
   */
  throttled(round: Round, retryAfterMs: number | null, now: number): void {
    if (round < this.#since) return;
    const asked = Math.min(MAX_HOLD_MS, retryAfterMs ?? 0);
    this.#throttledAt = now;
    this.#heldUntil = Math.max(this.#heldUntil, now + asked);
    if (round !== this.#round) return;
    const before = Math.min(this.#limit ?? Number.POSITIVE_INFINITY, this.#inFlight);
    this.#limit = Math.max(1, Math.floor(before / 2));
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#bursts);
    this.#heldUntil = Math.max(this.#heldUntil, now + pause);
    this.#grewAt = this.#heldUntil;
    this.#round += 1;
    this.#bursts += 1;
  }

  /** The service took a call that left after the latest 429: from now on the limit grows. */
  answered(round: Round, now: number): void {
    if (round !== this.#round || this.#bursts === 0) return;
    this.#bursts = 0;
    this.#grewAt = Math.max(this.#heldUntil, now);
  }

  /** Lets the limit grow with time, and forgets one that is not needed. `waiting`: calls that wait for their turn. */
  update(waiting: number, now: number): void {
    if (this.#limit === null) return;
    if (waiting === 0 && this.#hasRoom && now - this.#throttledAt >= FORGET_MS) this.forget();
    const steps = this.#bursts > 0 ? 0 : Math.floor((now - this.#grewAt) / GROWTH_MS);
    if (this.#limit === null || steps <= 0) return;
    this.#limit += steps;
    this.#grewAt += steps * GROWTH_MS;
  }

  /** Forgets all: another key has other limits. */
  forget(): void {
    this.#limit = null;
    this.#round += 1;
    this.#since = this.#round;
    this.#bursts = 0;
    this.#heldUntil = Number.NEGATIVE_INFINITY;
  }

  get #nextTryAt(): number {
    return Math.max(this.#leftAt, this.#heldUntil) + TRY_MS;
  }

  get #hasRoom(): boolean {
    return this.#limit === null || this.#inFlight < this.#limit;
  }
}
