import { CallLimit, type Round } from './call-limit.ts';
import { Circuit, type CircuitState, type Probe } from './circuit.ts';
import { FairQueue, type Waiting } from './fair-queue.ts';
import { RetryBudget } from './retry-budget.ts';

/** A call that waits for its turn. */
export interface Waiter extends Waiting {
  /** When its waiting is over; those who come later wait longer. */
  readonly until: number;
}

/** A call that has left. */
export interface Ticket {
  readonly round: Round;
  readonly probe: Probe | null;
}

/** Why a call does not leave. `held`: for so many milliseconds none does. `overdue`: it waited as long as it may. `full`: as many wait as may. */
export type RefusalReason =
  | { readonly kind: 'held'; readonly ms: number }
  | { readonly kind: 'overdue'; readonly limit: number | null }
  | { readonly kind: 'full' }
  | { readonly kind: 'unavailable'; readonly retryMs: number };

/** The end of one call's waiting. */
export type Decision<Entry> =
  | { readonly entry: Entry; readonly ticket: Ticket }
  | { readonly entry: Entry; readonly why: RefusalReason };

/** What can be told of it. */
export interface SchedulerState {
  readonly inFlight: number;
  readonly waiting: number;
  readonly limit: number | null;
  readonly heldMs: number;
  readonly circuit: CircuitState;
  readonly retryMs: number;
}

/**
 * Decides which call to one service leaves, waits or is turned away, and does nothing itself. All times are milliseconds on one
 * monotonic clock.
 */
export class CallScheduler<Entry extends Waiter> {
  readonly #limit = new CallLimit();
  readonly #circuit = new Circuit();
  readonly #budget = new RetryBudget();
  readonly #queue = new FairQueue<Entry>();

  get waiting(): number {
    return this.#queue.size;
  }

  /** Oldest first. */
  get waiters(): Iterable<Entry> {
    return this.#queue.entries;
  }

  get circuit(): CircuitState {
    return this.#circuit.state;
  }

  /** A ticket for a call that may leave at once; `null` for one that may not. */
  begin(now: number): Ticket | null {
    if (this.#queue.size > 0 || !this.#circuit.mayLeave(now)) return null;
    this.#limit.update(0, now);
    return this.#limit.mayLeave(now) ? this.#leave(now) : null;
  }

  /** A call that may not leave at once waits, or is told why it cannot. */
  wait(entry: Entry, now: number): RefusalReason | null {
    if (!this.#circuit.mayLeave(now)) return this.#unavailable(now);
    const ms = this.#limit.holdMs(now);
    if (now + ms > entry.until) return { kind: 'held', ms };
    return this.#queue.add(entry) ? null : { kind: 'full' };
  }

  /** Who waits no longer, because nobody wants the answer any more. False when it did not wait. */
  forget(entry: Entry): boolean {
    return this.#queue.remove(entry);
  }

  /** Whose turn it is now, and whose waiting is over, in this order. */
  due(now: number): Decision<Entry>[] {
    this.#limit.update(this.#queue.size, now);
    return [...this.#hopeless(now), ...this.#next(now), ...this.#cutOff(now)];
  }

  /** Milliseconds until `due` has to be asked again if nothing happens before; `null` while nobody waits. */
  nextMs(now: number): number | null {
    const { oldest } = this.#queue;
    if (oldest === undefined) return null;
    return Math.max(0, Math.min(oldest.until - now, this.#limit.nextRoomMs(now)));
  }

  /** Whether a call that failed may be repeated. */
  mayRepeat(now: number): boolean {
    return this.#budget.allows && this.#circuit.mayLeave(now);
  }

  connected(): void {
    this.#circuit.reset();
  }

  /** No connection came about. */
  notConnected({ probe }: Ticket, now: number): void {
    this.#budget.failed();
    this.#circuit.failed(probe, now);
  }

  /** The call ended for a reason of ours, before anything was known of its connection. */
  abandoned({ probe }: Ticket): void {
    this.#circuit.abandoned(probe);
  }

  /** The service answered 429. */
  throttled({ round }: Ticket, retryAfterMs: number | null, now: number): void {
    this.#budget.failed();
    this.#limit.throttled(round, retryAfterMs, now);
  }

  /** The service took a call. */
  answered({ round }: Ticket, now: number): void {
    this.#budget.answered();
    this.#limit.answered(round, now);
  }

  /** The answer of a call is complete, or there will be none. */
  ended(): void {
    this.#limit.end();
  }

  /** Another key has other limits. */
  forgetLimit(): void {
    this.#limit.forget();
  }

  state(now: number): SchedulerState {
    this.#limit.update(this.#queue.size, now);
    return {
      inFlight: this.#limit.inFlight,
      waiting: this.#queue.size,
      limit: this.#limit.limit,
      heldMs: this.#limit.holdMs(now),
      circuit: this.#circuit.state,
      retryMs: this.#circuit.retryInMs(now),
    };
  }

  #leave(now: number): Ticket {
    return { round: this.#limit.leave(now), probe: this.#circuit.leave() };
  }

  /** Those whose time is over, or will be before anything leaves. They stand in the order of their ends. */
  *#hopeless(now: number): Generator<Decision<Entry>> {
    const ms = this.#limit.holdMs(now);
    for (const entry of this.#queue.entries) {
      const isOver = entry.until <= now;
      if (!isOver && now + ms <= entry.until) return;
      this.#queue.remove(entry);
      const { limit } = this.#limit;
      yield { entry, why: isOver ? { kind: 'overdue', limit } : { kind: 'held', ms } };
    }
  }

  *#next(now: number): Generator<Decision<Entry>> {
    while (this.#circuit.mayLeave(now) && this.#limit.mayLeave(now)) {
      const entry = this.#queue.next();
      if (entry === undefined) return;
      yield { entry, ticket: this.#leave(now) };
    }
  }

  /** While connections fail nobody waits. */
  *#cutOff(now: number): Generator<Decision<Entry>> {
    if (this.#circuit.mayLeave(now)) return;
    for (const entry of this.#queue.entries) {
      this.#queue.remove(entry);
      yield { entry, why: this.#unavailable(now) };
    }
  }

  #unavailable(now: number): RefusalReason {
    return { kind: 'unavailable', retryMs: this.#circuit.retryInMs(now) };
  }
}
