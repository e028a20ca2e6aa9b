/** Number of consecutive connection failures that open the circuit. */
export const OPENS_AFTER = 5;
/** First and longest time for which it stays open, in milliseconds. */
export const FIRST_OPEN_MS = 1_000;
export const MAX_OPEN_MS = 15_000;

export type CircuitState = 'closed' | 'open' | 'half-open';

/** A call that tests whether connections work again. */
export type Probe = symbol;

/**
 * A circuit breaker for the connections to a service: after repeated failures only a probe is sent from time to time. It has no effects.
 * All times are milliseconds of one monotonic clock.
 */
export class Circuit {
  #failures = 0;
  #openMs = FIRST_OPEN_MS;
  /** When the next probe may be sent; `null` while closed. */
  #probeAt: number | null = null;
  #probe: Probe | null = null;

  /** The state; `half-open` while a probe is in flight. */
  get state(): CircuitState {
    if (this.#probeAt === null) return 'closed';
    return this.#probe === null ? 'open' : 'half-open';
  }

  maySend(now: number): boolean {
    return this.#probeAt === null || (this.#probe === null && this.#probeAt <= now);
  }

  /** Returns the milliseconds until a call may be sent; 0 while closed. */
  retryInMs(now: number): number {
    if (this.#probeAt === null) return 0;
    return this.#probe === null ? Math.max(0, this.#probeAt - now) : FIRST_OPEN_MS;
  }

  /** Records that a permitted call is sent. Returns the probe when it is one. */
  recordSent(): Probe | null {
    if (this.#probeAt !== null) this.#probe = Symbol('probe');
    return this.#probe;
  }

  /** Records a failure to connect. `probe` is the result of `leave`. */
  recordFailure(probe: Probe | null, now: number): void {
    this.#failures += 1;
    if (this.#probeAt === null) {
      if (this.#failures >= OPENS_AFTER) this.#probeAt = now + this.#openMs;
    } else if (probe !== null && probe === this.#probe) {
      this.#probe = null;
      this.#openMs = Math.min(MAX_OPEN_MS, this.#openMs * 2);
      this.#probeAt = now + this.#openMs;
    }
  }

  /** Records a call that ended before its connection was known to work. If it was the probe, the next call is one. */
  recordAbandoned(probe: Probe | null): void {
    if (probe === this.#probe) this.#probe = null;
  }

  /** Closes the circuit, because a connection works or may work again after a change. */
  reset(): void {
    if (this.#failures === 0 && this.#probeAt === null) return;
    this.#failures = 0;
    this.#openMs = FIRST_OPEN_MS;
    this.#probeAt = null;
    this.#probe = null;
  }
}
