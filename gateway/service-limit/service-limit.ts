import type { CancelSignal } from '../http/cancel-signal.ts';
import type { LimitedOptions } from '../http/send.ts';
import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { Problem } from '../../shared/problem.ts';
import type { ServiceLoad } from '../../shared/status.ts';
import { Emitter } from '../lib/emitter.ts';
import { ClientDisconnectedError } from '../http/errors.ts';
import { errors } from '../lib/undici.ts';
import { parseRetryAfter } from '../http/retry.ts';
import { serviceChangedProblem, shuttingDownProblem, toLimitProblem } from './limit-problems.ts';
import { type CallEnd, type CallEvents, CallWatch } from './call-watch.ts';
import { type Ticket, CallScheduler, type Waiter } from './call-scheduler.ts';

/** A person's pause. Requests of clients and orders do not wait then. */
export interface Pause {
  readonly paused: boolean;
  /** Creates the refusal of a call. */
  readonly problem: () => Problem;
}

export interface ServiceLimitOptions {
  /** Scheme, host and port of the service. */
  readonly origin: string;
  /** Maximum wait of a call in the queue, in milliseconds. */
  readonly waitMs: number;
  /** Gives the Unix time in milliseconds. */
  readonly now: () => number;
  readonly pause: Pause;
  /** Is called when the load has changed in a way that the window shows. */
  readonly onChange: () => void;
}

interface LimitedCall {
  readonly dispatch: Dispatcher.Dispatch;
  readonly options: LimitedOptions;
  readonly handler: Dispatcher.DispatchHandler;
}

interface WaitingCall extends LimitedCall, Waiter {
  /** Stops listening for its abort signal. */
  readonly stop: () => void;
}

/** The queue of Gatehouse's own calls; no client has an empty id. */
const OWN = '';
/** Errors of our own, which say nothing about the service. */
const NOT_THE_SERVICE = [
  Problem,
  ClientDisconnectedError,
  errors.RequestAbortedError,
  errors.ClientClosedError,
  errors.ClientDestroyedError,
  errors.InvalidArgumentError,
];

/**
 * Limits the load of a service over all callers: a limit of calls in flight that adapts to its 429 answers, its `Retry-After` for all
 * calls, a circuit breaker for its connections, and a fair queue. While nothing is wrong, a call costs a few comparisons, no timer and no
 * promise.
 */
export class ServiceLimit {
  /** Emits when the service took a call of a client or of the video queue: its status is 2xx, and its type is not that of a page. */
  readonly succeeded = new Emitter();
  readonly #options: ServiceLimitOptions;
  readonly #scheduler = new CallScheduler<WaitingCall>();
  /** Observes the calls that are sent. */
  readonly #events: CallEvents = {
    onConnected: () => this.resetCircuit(),
    onAnswer: (...answer) => this.#onAnswer(...answer),
    onEnd: (...end) => this.#onEnd(...end),
  };
  /** Observes the calls of clients and of the video queue. The sender of any other call judges the answer by its content. */
  readonly #callerEvents: CallEvents = {
    ...this.#events,
    onAnswer: (ticket, status, headers) => {
      if (isUsable(status, headers['content-type'])) this.succeeded.emit();
      this.#onAnswer(ticket, status, headers);
    },
  };
  readonly #counts = { calls: 0, throttled: 0, retries: 0, refused: 0 };
  /** The error of the latest connection. */
  #failure: Error = new Error('No connection was established.');
  #timer: NodeJS.Timeout | null = null;
  #isLookDue = false;
  #closed = false;

  constructor(options: ServiceLimitOptions) {
    this.#options = options;
  }

  /** Wraps connections with this limit. A call that may not be sent fails with a Problem before anything is sent. */
  wrap(dispatcher: Dispatcher): Dispatcher {
    return dispatcher.compose(
      (dispatch) => (options, handler) => this.#take({ dispatch, options, handler }),
    );
  }

  /** Whether a person has paused Gatehouse. */
  get paused(): boolean {
    return this.#options.pause.paused;
  }

  /** Whether a failed call may be retried now. */
  get allowsRetry(): boolean {
    return this.#scheduler.mayRepeat(performance.now());
  }

  load(): ServiceLoad {
    const { heldMs, retryMs, ...state } = this.#scheduler.state(performance.now());
    const counts = this.#counts;
    return { ...state, heldMs: Math.ceil(heldMs), retryMs: Math.ceil(retryMs), ...counts };
  }

  /** Closes the circuit, because connections may work again: after a sleep, a change of the network, or a successful test. */
  resetCircuit(): void {
    const wasClosed = this.#scheduler.circuit === 'closed';
    this.#scheduler.recordConnected();
    if (!wasClosed) this.#options.onChange();
  }

  /** Drops the limit of the old key, and refuses queued calls, which have the old key. */
  keyChanged(): void {
    this.#scheduler.forgetLimit();
    this.refuseQueued(serviceChangedProblem, 'all');
    this.#options.onChange();
  }

  /** Refuses queued calls: those of clients, those that a pause refuses, or all. */
  refuseQueued(why: () => Problem, waiting: 'clients' | 'pausable' | 'all'): void {
    for (const waiter of this.#scheduler.waiters) {
      const isMeant = waiting === 'pausable' ? isPausable(waiter) : waiter.client !== OWN;
      if (waiting === 'all' || isMeant) this.#drop(waiter, why());
    }
    this.#scheduleWake(performance.now());
  }

  /** Refuses queued calls, and from then on every call that cannot be sent at once. */
  close(): void {
    this.#closed = true;
    this.refuseQueued(shuttingDownProblem, 'all');
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
    const events = caller === undefined ? this.#events : this.#callerEvents;
    return dispatch(options, new CallWatch(handler, events, ticket));
  }

  #wait(call: LimitedCall, now: number): void {
    const { signal } = call.options;
    const client = call.options.caller?.client ?? OWN;
    if (signal?.aborted === true) return fail(call, toAbortError(signal));
    if (this.#closed) return this.#refuse(call, shuttingDownProblem());
    const { pause } = this.#options;
    if (pause.paused && isPausable(call)) return this.#refuse(call, pause.problem());
    const leave = (): void => {
      if (signal !== undefined) this.#drop(waiter, toAbortError(signal));
    };
    const stop = (): void => signal?.removeEventListener('abort', leave);
    const waiter = { ...call, client, until: now + this.#options.waitMs, stop };
    const why = this.#scheduler.wait(waiter, now);
    if (why !== null) return this.#refuse(call, toLimitProblem(why, this.#refusalFacts));
    signal?.addEventListener('abort', leave);
    this.#options.onChange();
    this.#scheduleWake(now);
  }

  get #refusalFacts() {
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

  /** Sends queued calls after all handlers of the present event. */
  #sendQueuedSoon(): void {
    if (this.#isLookDue || this.#scheduler.waiting === 0) return;
    this.#isLookDue = true;
    queueMicrotask(() => {
      this.#isLookDue = false;
      this.#admitWaiting();
    });
  }

  #admitWaiting(): void {
    const now = performance.now();
    for (const decision of this.#scheduler.due(now)) {
      decision.entry.stop();
      if ('ticket' in decision) this.#leave(decision.entry, decision.ticket);
      else this.#refuse(decision.entry, toLimitProblem(decision.why, this.#refusalFacts));
    }
    this.#options.onChange();
    this.#scheduleWake(now);
  }

  #scheduleWake(now: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    const ms = this.#scheduler.nextMs(now);
    if (ms !== null) this.#timer = setTimeout(() => this.#admitWaiting(), Math.ceil(ms)).unref();
  }

  #onEnd(ticket: Ticket, { isConnected, error }: CallEnd): void {
    this.#scheduler.recordEnd();
    if (!isConnected && error !== null) this.#onNotConnected(ticket, error);
    this.#sendQueuedSoon();
  }

  #onNotConnected(ticket: Ticket, error: Error): void {
    if (NOT_THE_SERVICE.some((kind) => error instanceof kind)) {
      this.#scheduler.recordAbandoned(ticket);
      return;
    }
    this.#failure = error;
    this.#scheduler.recordNotConnected(ticket, performance.now());
    if (this.#scheduler.circuit !== 'closed') this.#options.onChange();
  }

  #onAnswer(ticket: Ticket, status: number, headers: IncomingHttpHeaders): void {
    if (status === 429) {
      this.#counts.throttled += 1;
      this.#scheduler.recordThrottled(ticket, this.#retryAfterMs(headers), performance.now());
      this.#options.onChange();
    } else if (status < 500) {
      this.#scheduler.recordSuccess(ticket, performance.now());
    }
    this.#sendQueuedSoon();
  }

  /** Parses `Retry-After`. A date is read by the service's clock if it tells that, because ours may be wrong (RFC 9110 section 10.2.3). */
  #retryAfterMs(headers: IncomingHttpHeaders): number | null {
    const retryAfter = headers['retry-after'];
    if (typeof retryAfter !== 'string') return null;
    const date = Date.parse(headers.date ?? '');
    return parseRetryAfter(retryAfter, Number.isNaN(date) ? this.#options.now() : date);
  }
}

/** Whether an answer can come from the service: a sign-in page of a network has a redirect or a text as its answer. */
function isUsable(status: number, type = ''): boolean {
  return status < 300 && !/^\s*text\/(?!event-stream)/iu.test(type);
}

function isPausable({ options: { caller } }: LimitedCall): boolean {
  return caller !== undefined && (caller.client !== null || caller.isOrder === true);
}

function fail({ handler }: LimitedCall, error: Error): void {
  // oxlint-disable-next-line no-unsafe-type-assertion -- undici itself gives none for a request that never began
  const none = undefined as unknown as Dispatcher.DispatchController;
  // The caller must not get the error before `dispatch` has returned.
  queueMicrotask(() => handler.onResponseError?.(none, error));
}

function toAbortError(signal: CancelSignal): Error {
  const reason: unknown = signal.reason;
  return reason instanceof Error
    ? reason
    : new ClientDisconnectedError('Nobody is waiting for the response any more.');
}
