import type { MemoryBudget } from '../lib/memory-budget.ts';
import { Emitter } from '../lib/emitter.ts';
import { responseClosed } from './response/send-response.ts';
import type { ClientRequest, ProxyDeps, UpstreamBinding, ProxyContext } from './context.ts';
import { type PortListener, openPortListener } from './inbound/listener.ts';
import { exchange } from './exchange.ts';
import { ExchangeIds } from '../history/exchange-ids.ts';
import { respondToProbe, asksForReport, sendSelfReport } from './inbound/probes.ts';
import { recordMalformed } from './response/send-problem.ts';
import { type RunningExchanges, listInFlight } from './in-flight-exchange.ts';
import { ConcurrencyLimit } from './inbound/concurrency-limit.ts';
import { UnknownClients } from './inbound/unknown-clients.ts';
import { WrongKeyThrottle } from './inbound/wrong-key-throttle.ts';

export {
  type AnsweredUpload,
  type StoredResponse,
  type OrderDecision,
  type PendingOrder,
  hasOutcome,
  type VideoOrder,
  type VideoOrderRegistry,
} from './videos/video-orders.ts';
export { LIMITS, type Limits, type UpstreamBinding, type UpstreamTarget } from './context.ts';
export { openRejectedParameters } from './outbound/rejected-parameters.ts';
export type { RunningExchanges } from './in-flight-exchange.ts';
export type { SelfReport } from './context.ts';

/** The running proxy. */
export interface Proxy {
  readonly port: number;
  /** Number of exchanges in flight. */
  readonly running: number;
  /** Budget for buffered requests and responses. */
  readonly memory: MemoryBudget;
  runningExchanges(): RunningExchanges;
  /** Calls `listener` when an exchange has found its route, and when one has ended. Returns the function that stops it. */
  onRunning(listener: () => void): () => void;
  /** Marks the exchanges in flight before the machine sleeps, so that those that break later say so. */
  sleep(): void;
  /** Sends new exchanges to this upstream. Exchanges in flight keep the one that they began with. */
  activate(upstream: UpstreamBinding): void;
  /** Turns repairs of new exchanges off or on. */
  setStrict(strict: boolean): void;
  /**
   * Listens on another port, then leaves the present one; exchanges in flight finish there. Does nothing while it closes.
   * @throws PortInUseError, PortAccessError
   */
  move(port: number): Promise<void>;
  /** Accepts no new requests, waits up to `drainMs` for exchanges in flight, then cuts the rest. */
  close(drainMs: number): Promise<void>;
}

export interface ProxyOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly deps: ProxyDeps;
  readonly upstream: UpstreamBinding;
  readonly strict: boolean;
}

/** Connections to the old port that are being made are accepted for a moment longer. */
const GRACE_MS = 1_000;

/** Opens the proxy on the loopback addresses. @throws PortInUseError, PortAccessError */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const proxy = new RunningProxy(options);
  await proxy.move(options.port);
  return proxy;
}

class RunningProxy implements Proxy {
  readonly #concurrency: ConcurrencyLimit;
  readonly #listeners = new Emitter();
  readonly #ports = new Set<PortListener>();
  #port: PortListener | null = null;
  #proxy: ProxyContext;

  constructor({ deps, upstream, strict }: ProxyOptions) {
    const concurrency = new ConcurrencyLimit(deps.limits.exchanges);
    this.#concurrency = concurrency;
    this.#proxy = {
      ...deps,
      ...upstream,
      strict,
      ids: new ExchangeIds(deps.randomBytes),
      unknownClients: new UnknownClients(),
      wrongKeys: new WrongKeyThrottle(deps.limits.wrongKeyMs),
      inFlightExchanges: new Set(),
      onRunning: () => this.#listeners.emit(),
      rejectionReason: concurrency.rejectionReason,
      abortSignal: concurrency.abortSignal,
    };
  }

  get port(): number {
    return this.#port?.port ?? 0;
  }

  get running(): number {
    return this.#concurrency.running;
  }

  get memory(): MemoryBudget {
    return this.#proxy.memory;
  }

  runningExchanges(): RunningExchanges {
    return listInFlight(this.#proxy.inFlightExchanges, this.#proxy.redact);
  }

  onRunning(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  sleep(): void {
    for (const inFlight of this.#proxy.inFlightExchanges) inFlight.wasSuspended = true;
  }

  activate(upstream: UpstreamBinding): void {
    this.#proxy = { ...this.#proxy, ...upstream };
  }

  setStrict(strict: boolean): void {
    this.#proxy = { ...this.#proxy, strict };
  }

  async move(port: number): Promise<void> {
    const before = this.#port;
    for (const other of this.#ports) {
      if (other !== before && other.port === port) other.stopAccepting();
    }
    const listener = await openPortListener({
      port,
      limits: this.#proxy.limits,
      onMalformed: (problem) => recordMalformed(problem, this.#proxy),
      onCall: (call, done) => this.#accept(call, done),
    });
    // Nothing would close this listener later.
    if (this.#concurrency.closing) return await listener.close();
    this.#port = listener;
    this.#ports.add(listener);
    this.#proxy.ownPorts.add(listener.port);
    if (before !== null) void this.#retire(before, GRACE_MS);
  }

  async close(drainMs: number): Promise<void> {
    this.#concurrency.closing = true;
    this.#proxy.wrongKeys.close();
    for (const listener of this.#ports) void this.#retire(listener, 0);
    await this.#concurrency.drain(drainMs);
    this.#concurrency.abortAll();
    await Promise.all([...this.#ports].map((listener) => listener.close()));
    await this.#concurrency.drain(1000);
  }

  #accept(call: ClientRequest, done: () => void): void {
    const proxy = this.#proxy;
    if (respondToProbe(call, proxy.accessPolicy)) {
      done();
      return;
    }
    if (asksForReport(call)) void this.#report(call, proxy, done);
    else void this.#exchange(call, proxy, done);
  }

  /** Serves a report. A refused one is answered and recorded as an exchange. */
  async #report(call: ClientRequest, proxy: ProxyContext, done: () => void): Promise<void> {
    if (await sendSelfReport(call, proxy)) done();
    else await this.#exchange(call, proxy, done);
  }

  async #exchange(call: ClientRequest, proxy: ProxyContext, done: () => void): Promise<void> {
    const release = proxy.lease();
    this.#concurrency.begin();
    try {
      await exchange(call, proxy);
    } catch (error) {
      // `exchange` answers every failure itself, so this is a bug in answering.
      proxy.log('error', `An exchange could not be completed: ${proxy.redact(String(error))}`);
      call.response.destroy();
    }
    // The connection must stay open until then.
    await responseClosed(call.response);
    this.#concurrency.finish();
    release();
    done();
  }

  async #retire(listener: PortListener, graceMs: number): Promise<void> {
    await listener.drain(graceMs);
    this.#ports.delete(listener);
    const isInUse = [...this.#ports].some(({ port }) => port === listener.port);
    if (!isInUse) this.#proxy.ownPorts.delete(listener.port);
  }
}
