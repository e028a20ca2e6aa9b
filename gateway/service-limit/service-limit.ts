import type { LimitedOptions } from '../http/send.ts';
import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import { Problem } from '../../shared/problem.ts';
import type { ServiceLoad } from '../../shared/status.ts';
import { Emitter } from '../lib/emitter.ts';
import { ClientDisconnectedError } from '../http/errors.ts';
import { parseRetryAfter } from '../http/retry.ts';
import {
  pausedProblem,
  serviceChangedProblem,
  shuttingDownProblem,
  toLimitProblem,
} from './limit-problems.ts';
import { type CallEvents, CallWatch } from './call-watch.ts';
import { type Ticket, CallScheduler, type Waiter } from './call-scheduler.ts';

export interface ServiceLimitOptions {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  /** How long a call may wait for its turn, in milliseconds. */
  readonly waitMs: number;
  /** Wall clock, Unix time in milliseconds. */
  readonly now: () => number;
  /** Whether a person has paused Gatehouse: then no request of a client and no order waits. */
  readonly paused: () => boolean;
  /** Told when the load has changed in a way that a person may want to see. */
  readonly onChange: () => void;
}

interface LimitedCall {
  readonly dispatch: Dispatcher.Dispatch;
  readonly options: LimitedOptions;
  readonly handler: Dispatcher.DispatchHandler;
}

interface WaitingCall extends LimitedCall, Waiter {
  /** Stops listening for its caller to go. */
  readonly stop: () => void;
}

/** The line of Gatehouse's own calls; no client has an empty id. */
const OWN = '';
/** Failures of ours, which say nothing about the service. */
const NOT_THE_SERVICE = [
  Problem,
  ClientDisconnectedError,
  errors.RequestAbortedError,
  errors.ClientClosedError,
  errors.ClientDestroyedError,
  errors.InvalidArgumentError,
];

/**
 * The one load that a service sees, whoever makes the calls: a limit on calls in flight that follows its 429 answers, its
 * `Retry-After` for all of them, a circuit breaker for its connections, and a fair queue. While nothing is wrong, a call costs
 * a few comparisons, no timer and no promise.
 */
export class ServiceLimit {
  /** Told when the service took a call: its status is less than 400. */
  readonly succeeded = new Emitter();
  readonly #options: ServiceLimitOptions;
  readonly #scheduler = new CallScheduler<WaitingCall>();
  readonly #counts = { calls: 0, throttled: 0, retries: 0, refused: 0 };
  /** Why the latest connection did not come about. */
  #failure: Error = new Error('No connection came about.');
  #timer: NodeJS.Timeout | null = null;
  #isLookDue = false;
  #closed = false;

  constructor(options: ServiceLimitOptions) {
    this.#options = options;
  }

  /** The same connections, through this limit. A call that may not leave fails with a Problem, before anything is sent. */
  over(dispatcher: Dispatcher): Dispatcher {
    return dispatcher.compose(
      (dispatch) => (options, handler) => this.#take({ dispatch, options, handler }),
    );
  }

  /** Whether a call that failed may be repeated now. */
  get allowsRetry(): boolean {
    return this.#scheduler.mayRepeat(performance.now());
  }

  load(): ServiceLoad {
    const { heldMs, retryMs, ...state } = this.#scheduler.state(performance.now());
    const counts = this.#counts;
    return { ...state, heldMs: Math.ceil(heldMs), retryMs: Math.ceil(retryMs), ...counts };
  }

  /** Connections may come about again: one stands, the machine woke, the network is another one, or a person saw an answer. */
  resetCircuit(): void {
    const wasClosed = this.#scheduler.circuit === 'closed';
    this.#scheduler.connected();
    if (!wasClosed) this.#options.onChange();
  }

  /** Another key has other limits. Who waits would leave with the old key, and is turned away. */
  keyChanged(): void {
    this.#scheduler.forgetLimit();
    this.turnAway(serviceChangedProblem, 'all');
    this.#options.onChange();
  }

  /** Ends the waiting: of clients, of what a pause keeps back, or of all. */
  turnAway(why: () => Problem, who: 'clients' | 'pausable' | 'all'): void {
    for (const waiter of this.#scheduler.waiters) {
      const isMeant = who === 'pausable' ? isPausable(waiter) : waiter.client !== OWN;
      if (who === 'all' || isMeant) this.#drop(waiter, why());
    }
    this.#plan(performance.now());
  }

  /** From now on nothing waits: what cannot leave at once is turned away. */
  close(): void {
    this.#closed = true;
    this.turnAway(shuttingDownProblem, 'all');
  }

  #take(call: LimitedCall): boolean {
    const now = performance.now();
    const ticket = this.#scheduler.begin(now);
    if (ticket !== null) return this.#leave(call, ticket);
    this.#wait(call, now);
    return true;
  }

  #leave({ dispatch, options, handler }: LimitedCall, ticket: Ticket): boolean {
    const { caller } = options;
    this.#counts.calls += 1;
    if (caller?.isRetry === true) this.#counts.retries += 1;
    caller?.onLeave();
    return dispatch(options, new CallWatch(handler, this.#follow(ticket)));
  }

  #wait(call: LimitedCall, now: number): void {
    const { signal: given } = call.options;
    const signal = given instanceof AbortSignal ? given : null;
    const client = call.options.caller?.client ?? OWN;
    if (signal?.aborted === true) return fail(call, toAbortError(signal));
    if (this.#closed) return this.#refuse(call, shuttingDownProblem());
    if (this.#options.paused() && isPausable(call)) return this.#refuse(call, pausedProblem());
    const leave = (): void => {
      if (signal !== null) this.#drop(waiter, toAbortError(signal));
    };
    const stop = (): void => signal?.removeEventListener('abort', leave);
    const waiter = { ...call, client, until: now + this.#options.waitMs, stop };
    const why = this.#scheduler.wait(waiter, now);
    if (why !== null) return this.#refuse(call, toLimitProblem(why, this.#words));
    signal?.addEventListener('abort', leave);
    this.#options.onChange();
    this.#plan(now);
  }

  get #words() {
    const { origin, waitMs } = this.#options;
    return { origin, waitMs, failure: this.#failure };
  }

  #drop(waiter: WaitingCall, error: Error): void {
    if (!this.#scheduler.forget(waiter)) return;
    waiter.stop();
    this.#options.onChange();
    this.#refuse(waiter, error);
  }

  #refuse(call: LimitedCall, error: Error): void {
    if (error instanceof Problem) this.#counts.refused += 1;
    fail(call, error);
  }

  /** Looks whose turn it is once all have heard of the event that made room. */
  #lookSoon(): void {
    if (this.#isLookDue || this.#scheduler.waiting === 0) return;
    this.#isLookDue = true;
    queueMicrotask(() => {
      this.#isLookDue = false;
      this.#look();
    });
  }

  #look(): void {
    const now = performance.now();
    for (const decision of this.#scheduler.due(now)) {
      decision.entry.stop();
      if ('ticket' in decision) this.#leave(decision.entry, decision.ticket);
      else this.#refuse(decision.entry, toLimitProblem(decision.why, this.#words));
    }
    this.#options.onChange();
    this.#plan(now);
  }

  #plan(now: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const ms = this.#scheduler.nextMs(now);
    if (ms !== null) this.#timer = setTimeout(() => this.#look(), Math.ceil(ms)).unref();
  }

  /** Learns from a call that leaves. */
  #follow(ticket: Ticket): CallEvents {
    let isConnected = false;
    return {
      connected: () => {
        isConnected = true;
        this.resetCircuit();
      },
      answered: (status, headers) => this.#answered(ticket, status, headers),
      ended: (error) => {
        this.#scheduler.ended();
        if (!isConnected && error !== null) this.#notConnected(ticket, error);
        this.#lookSoon();
      },
    };
  }

  #notConnected(ticket: Ticket, error: Error): void {
    if (NOT_THE_SERVICE.some((kind) => error instanceof kind)) {
      this.#scheduler.abandoned(ticket);
      return;
    }
    this.#failure = error;
    this.#scheduler.notConnected(ticket, performance.now());
    if (this.#scheduler.circuit !== 'closed') this.#options.onChange();
  }

  #answered(ticket: Ticket, status: number, headers: IncomingHttpHeaders): void {
    if (status === 429) {
      this.#counts.throttled += 1;
      this.#scheduler.throttled(ticket, this.#retryAfterMs(headers), performance.now());
      this.#options.onChange();
    } else if (status < 500) {
      this.#scheduler.answered(ticket, performance.now());
    }
    if (status < 400) this.succeeded.emit();
    this.#lookSoon();
  }

  /** A date is read by the service's own clock where it tells that: ours may be wrong (RFC 9110 section 10.2.3). */
  #retryAfterMs(headers: IncomingHttpHeaders): number | null {
    const asked = headers['retry-after'];
    if (typeof asked !== 'string') return null;
    const date = Date.parse(headers.date ?? '');
    return parseRetryAfter(asked, Number.isNaN(date) ? this.#options.now() : date);
  }
}

function isPausable({ options: { caller } }: LimitedCall): boolean {
  return caller !== undefined && (caller.client !== null || caller.isOrder === true);
}

function fail({ handler }: LimitedCall, error: Error): void {
  // oxlint-disable-next-line no-unsafe-type-assertion -- undici itself gives none for a request that never began
  const none = undefined as unknown as Dispatcher.DispatchController;
  // Who asks is not answered before the asking is over.
  queueMicrotask(() => handler.onResponseError?.(none, error));
}

function toAbortError(signal: AbortSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error
    ? reason
    : new ClientDisconnectedError('Nobody waits for the answer any more.');
}
