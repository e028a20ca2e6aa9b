import { CallLimit, type Round } from './call-limit.ts';
import { Circuit, type CircuitState, type Probe } from './circuit.ts';
import { FairQueue, type Waiting } from './fair-queue.ts';

/** A queued call. */
export interface Waiter extends Waiting {
  /** When its wait ends; later calls have a later time. */
  readonly until: number;
}

/** The ticket of a call that is sent. */
export interface Ticket {
  readonly round: Round;
  readonly probe: Probe | null;
}

/** Why a call is not sent. `held`: there is a pause of so many milliseconds. `overdue`: its wait is over. `full`: the queue is full. */
export type RefusalReason =
  | { readonly kind: 'held'; readonly ms: number }
  | { readonly kind: 'overdue'; readonly limit: number | null }
  | { readonly kind: 'full' }
  | { readonly kind: 'unavailable'; readonly retryMs: number };

/** The decision about a queued call. */
export type Decision<Entry> =
  | { readonly entry: Entry; readonly ticket: Ticket }
  | { readonly entry: Entry; readonly why: RefusalReason };

/** The state of the scheduler for display. */
export interface SchedulerState {
  readonly inFlight: number;
  readonly waiting: number;
  readonly limit: number | null;
  readonly heldMs: number;
  readonly circuit: CircuitState;
  readonly retryMs: number;
}

/**
 * Decides which call to a service is sent, queued or refused. It has no effects. All times are milliseconds of one monotonic clock.
 */
export class CallScheduler<Entry extends Waiter> {
  readonly #limit = new CallLimit();
  readonly #circuit = new Circuit();
  readonly #budget = new RetryBudget();
  readonly #queue = new FairQueue<Entry>();

  get waiting(): number {
    return this.#queue.size;
  }

  /** The queued calls, oldest first. */
  get waiters(): Iterable<Entry> {
    return this.#queue.entries;
  }

  get circuit(): CircuitState {
    return this.#circuit.state;
  }

  /** Returns a ticket for a call that may be sent at once; `null` for one that may not. */
  begin(now: number): Ticket | null {
    if (this.#queue.size > 0 || !this.#circuit.maySend(now)) return null;
    this.#limit.update(0, now);
    return this.#limit.maySend(now) ? this.#send(now) : null;
  }

  /** Queues a call, or returns why that is not possible. */
  wait(entry: Entry, now: number): RefusalReason | null {
    if (!this.#circuit.maySend(now)) return this.#unavailable(now);
    const ms = this.#limit.holdMs(now);
    if (now + ms > entry.until) return { kind: 'held', ms };
    return this.#queue.add(entry) ? null : { kind: 'full' };
  }

  /** Removes a call from the queue. Returns `false` when it was not there. */
  forget(entry: Entry): boolean {
    return this.#queue.remove(entry);
  }

  /** Returns the calls that may be sent now, then those whose wait is over. */
  due(now: number): Decision<Entry>[] {
    this.#limit.update(this.#queue.size, now);
    return [...this.#overdue(now), ...this.#next(now), ...this.#cutOff(now)];
  }

  /** Returns the milliseconds until `due` must be called again; `null` while the queue is empty. */
  nextMs(now: number): number | null {
    const { oldest } = this.#queue;
    if (oldest === undefined) return null;
    return Math.max(0, Math.min(oldest.until - now, this.#limit.nextRoomMs(now)));
  }

  /** Whether a failed call may be retried. */
  mayRepeat(now: number): boolean {
    return this.#budget.allows && this.#circuit.maySend(now);
  }

  recordConnected(): void {
    this.#circuit.reset();
  }

  /** Records a failure to connect. */
  recordNotConnected({ probe }: Ticket, now: number): void {
    this.#budget.recordFailure();
    this.#circuit.recordFailure(probe, now);
  }

  /** Records a call that we ended before its connection was known to work. */
  recordAbandoned({ probe }: Ticket): void {
    this.#circuit.recordAbandoned(probe);
  }

  /** Records a 429. */
  recordThrottled({ round }: Ticket, retryAfterMs: number | null, now: number): void {
    this.#budget.recordFailure();
    this.#limit.recordThrottled(round, retryAfterMs, now);
  }

  /** Records a success. */
  recordSuccess({ round }: Ticket, now: number): void {
    this.#budget.recordSuccess();
    this.#limit.recordSuccess(round, now);
  }

  /** Records that a call has ended. */
  recordEnd(): void {
    this.#limit.recordEnd();
  }

  /** Drops the limit, because another key has other limits. */
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

  #send(now: number): Ticket {
    return { round: this.#limit.recordSent(now), probe: this.#circuit.recordSent() };
  }

  /** Iterates over the calls whose wait is over, or will be before any call can be sent, in the order of their ends. */
  *#overdue(now: number): Generator<Decision<Entry>> {
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
    while (this.#circuit.maySend(now) && this.#limit.maySend(now)) {
      const entry = this.#queue.next();
      if (entry === undefined) return;
      yield { entry, ticket: this.#send(now) };
    }
  }

  /** Iterates over all queued calls while the circuit is open, because none can be sent. */
  *#cutOff(now: number): Generator<Decision<Entry>> {
    if (this.#circuit.maySend(now)) return;
    for (const entry of this.#queue.entries) {
      this.#queue.remove(entry);
      yield { entry, why: this.#unavailable(now) };
    }
  }

  #unavailable(now: number): RefusalReason {
    return { kind: 'unavailable', retryMs: this.#circuit.retryInMs(now) };
  }
}

/** Initial and maximum number of tokens. A failure costs one. */
const MAX_TOKENS = 10;

/** Tokens that a success returns. */
const TOKENS_PER_ANSWER = 0.5;

/**
 * The budget of retries for a service: none while more than half of the tokens are spent, as in gRPC's retry throttling (A6). A service
 * that refuses everything gets few more calls than there are requests.
 */
class RetryBudget {
  #tokens = MAX_TOKENS;

  get allows(): boolean {
    return this.#tokens > MAX_TOKENS / 2;
  }

  recordFailure(): void {
    this.#tokens = Math.max(0, this.#tokens - 1);
  }

  recordSuccess(): void {
    this.#tokens = Math.min(MAX_TOKENS, this.#tokens + TOKENS_PER_ANSWER);
  }
}
