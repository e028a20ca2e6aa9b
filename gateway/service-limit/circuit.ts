/** Connection failures without a success between them that open the circuit. */
export const OPENS_AFTER = 5;
/** How long it stays open at first, and at most after probes that failed, in milliseconds. */
export const FIRST_OPEN_MS = 1_000;
export const MAX_OPEN_MS = 15_000;

export type CircuitState = 'closed' | 'open' | 'half-open';

/** A call that shows whether connections come about again. */
export type Probe = symbol;

/**
 * A circuit breaker for connections to one service: after repeated failures nobody tries any more, but for one probe now and then.
 * Decides only. All times are milliseconds on one monotonic clock.
 */
export class Circuit {
  #failures = 0;
  #openMs = FIRST_OPEN_MS;
  /** When the next probe may leave; `null` while closed. */
  #probeAt: number | null = null;
  #probe: Probe | null = null;

  /** `half-open`: a probe is on its way. */
  get state(): CircuitState {
    if (this.#probeAt === null) return 'closed';
    return this.#probe === null ? 'open' : 'half-open';
  }

  mayLeave(now: number): boolean {
    return this.#probeAt === null || (this.#probe === null && this.#probeAt <= now);
  }

  /** Milliseconds until it is worth asking again; 0 while closed. */
  retryInMs(now: number): number {
    if (this.#probeAt === null) return 0;
    return this.#probe === null ? Math.max(0, this.#probeAt - now) : FIRST_OPEN_MS;
  }

  /** A call leaves, which is only done when it may. Gives the probe when it is one. */
  leave(): Probe | null {
    if (this.#probeAt !== null) this.#probe = Symbol('probe');
    return this.#probe;
  }

  /** No connection came about for a call. `probe`: as `leave` gave it. */
  failed(probe: Probe | null, now: number): void {
    this.#failures += 1;
    if (this.#probeAt === null) {
      if (this.#failures >= OPENS_AFTER) this.#probeAt = now + this.#openMs;
    } else if (probe !== null && probe === this.#probe) {
      this.#probe = null;
      this.#openMs = Math.min(MAX_OPEN_MS, this.#openMs * 2);
      this.#probeAt = now + this.#openMs;
    }
  }

  /** A call ended before anything was known of its connection: when it was the probe, the next call is. */
  abandoned(probe: Probe | null): void {
    if (probe === this.#probe) this.#probe = null;
  }

  /** Closes it: a connection stands, or something has changed, so that one may come about again. */
  reset(): void {
    if (this.#failures === 0 && this.#probeAt === null) return;
    this.#failures = 0;
    this.#openMs = FIRST_OPEN_MS;
    this.#probeAt = null;
    this.#probe = null;
  }
}
