import type { ExchangeBodies } from '../../shared/exchange/body.ts';
import type { ExchangeId, RunId } from '../../shared/exchange/exchange.ts';
import type { MemoryBudget } from '../lib/memory-budget.ts';
import { Emitter } from '../lib/emitter.ts';
import { serviceChangedProblem } from '../service-limit/limit-problems.ts';
import { createKeyMasks } from '../keys/key-mask.ts';
import type { ClientRequest, ProxyDeps, UpstreamBinding, ProxyContext } from './context.ts';
import {
  type PortListener,
  type PortListenerOptions,
  openPortListener,
} from './inbound/listener.ts';
import { FurtherListeners } from './inbound/further-listeners.ts';
import { exchange } from './exchange.ts';
import { ExchangeIds } from '../history/exchange-ids.ts';
import {
  asksForReport,
  isControlCall,
  respondToProbe,
  sendSelfReport,
  serveControlCall,
} from './inbound/own-requests.ts';
import { recordMalformed } from './response/send-problem.ts';
import { InFlightExchanges, type RunningExchanges, listInFlight } from './running-exchanges.ts';
import { ConcurrencyLimit } from './inbound/concurrency-limit.ts';
import { RunIds } from './inbound/run-ids.ts';
import { LatestAnswers } from './outbound/latest-answers.ts';
import { UnknownClients } from './inbound/unknown-clients.ts';
import { WrongKeyThrottle } from './inbound/wrong-key-throttle.ts';

export {
  type AnsweredUpload,
  type StoredResponse,
  type OrderDecision,
  type PendingOrder,
  type VideoOrder,
  type VideoOrderRegistry,
} from './videos/video-orders.ts';
export { LIMITS, type Limits, type UpstreamBinding, type UpstreamTarget } from './context.ts';
export { CACHE_QUESTIONS } from './outbound/cache-question.ts';
export { openRejectedParameters } from './outbound/rejected-parameters.ts';
export type { RunningExchanges } from './running-exchanges.ts';
export type { ControlChannel, SelfReport } from './context.ts';

/** The running proxy. */
export interface Proxy {
  readonly port: number;
  /** Number of exchanges in flight. */
  readonly running: number;
  /** Budget for buffered requests and responses. */
  readonly memory: MemoryBudget;
  runningExchanges(): RunningExchanges;
  /** Whether an exchange is in flight. */
  isRunning(id: ExchangeId): boolean;
  /** Returns the bodies of an exchange in flight, as far as they passed; `null` when it is not in flight. */
  readRunningBodies(id: ExchangeId, isRebuilt: boolean): Promise<ExchangeBodies | null>;
  /** Lists the exchanges in flight that continue a run. @throws when the runs cannot be read */
  listRunningOf(run: RunId): Promise<readonly ExchangeId[]>;
  /** Resolves when an exchange is not in flight any more, and its record and bodies were handed over. */
  whenEnded(id: ExchangeId): Promise<void>;
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
  /** Listens at these addresses of this machine beside the loopback addresses, and at no others. What is not possible now is tried again. */
  listenFurther(addresses: readonly string[]): Promise<void>;
  /** Says why nothing can connect to such an address now; `null` when that is possible. */
  furtherProblem(address: string): string | null;
  /** Accepts no new requests, waits up to `drainMs` for exchanges in flight, then cuts the rest. */
  close(drainMs: number): Promise<void>;
}

export interface ProxyOptions {
  /** 0 for any free port. */
  readonly port: number;
  readonly deps: ProxyDeps;
  readonly upstream: UpstreamBinding;
  readonly strict: boolean;
  /** Is called when the problem of a further address may have changed. */
  readonly onFurtherChange: () => void;
}

/** Connections to the old port that are being made are accepted for a moment longer. */
const GRACE_MS = 1_000;

/** Opens the proxy on the loopback addresses. @throws PortInUseError, PortAccessError */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const proxy = new RunningProxy(options);
  await proxy.move(options.port);
  return proxy;
}

const NO_BODIES: ExchangeBodies = { state: 'running', received: null, sent: null, returned: null };

class RunningProxy implements Proxy {
  readonly #concurrency: ConcurrencyLimit;
  readonly #listeners = new Emitter();
  readonly #ports = new Set<PortListener>();
  readonly #further: FurtherListeners;
  #furtherAddresses: readonly string[] = [];
  #port: PortListener | null = null;
  #proxy: ProxyContext;

  constructor({ deps, upstream, strict, onFurtherChange }: ProxyOptions) {
    const concurrency = new ConcurrencyLimit(deps.limits.exchanges);
    this.#concurrency = concurrency;
    this.#further = new FurtherListeners({
      open: (address, port) => this.#open({ address, port }),
      onChange: onFurtherChange,
    });
    this.#proxy = {
      ...deps,
      ...upstream,
      strict,
      ids: new ExchangeIds(deps.randomBytes),
      keyMaskFor: createKeyMasks(),
      unknownClients: new UnknownClients(),
      runIds: new RunIds(),
      latestAnswers: new LatestAnswers(),
      wrongKeys: new WrongKeyThrottle(deps.limits.wrongKeyMs),
      inFlightExchanges: new InFlightExchanges(),
      onRunning: () => this.#listeners.emit(),
      isInUse: (service) => service === this.#proxy.service,
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

  async readRunningBodies(id: ExchangeId, isRebuilt: boolean): Promise<ExchangeBodies | null> {
    const { inFlightExchanges, bodies } = this.#proxy;
    for (const inFlight of inFlightExchanges) {
      if (inFlight.id !== id) continue;
      const { captured } = inFlight;
      if (captured === null) return NO_BODIES;
      return await bodies.readRunning(inFlight.toFacts(), captured, isRebuilt);
    }
    return null;
  }

  isRunning(id: ExchangeId): boolean {
    return [...this.#proxy.inFlightExchanges].some((inFlight) => inFlight.id === id);
  }

  async listRunningOf(run: RunId): Promise<readonly ExchangeId[]> {
    const { inFlightExchanges, bodies } = this.#proxy;
    const found: ExchangeId[] = [];
    // Those that begin meanwhile are left out, so that this ends under any load.
    const flying = [...inFlightExchanges];
    for (const inFlight of flying) {
      // One that has ended meanwhile is stored.
      if (inFlight.captured === null || !inFlightExchanges.has(inFlight)) continue;
      const { id, captured } = inFlight;
      if ((await bodies.findRun(inFlight.toFacts(), captured)) === run) found.push(id);
    }
    return found;
  }

  async whenEnded(id: ExchangeId): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const check = () => {
      if (!this.isRunning(id)) resolve();
    };
    const stop = this.onRunning(check);
    check();
    // It goes on when the event is over, and with it the end of the exchange.
    await promise.finally(stop);
  }

  runningExchanges(): RunningExchanges {
    return listInFlight(this.#proxy.inFlightExchanges, this.#proxy.redact);
  }

  onRunning(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }

  sleep(): void {
    for (const inFlight of this.#proxy.inFlightExchanges) inFlight.wasSuspended = true;
  }

  activate(upstream: UpstreamBinding): void {
    // A person would not expect that what they look at goes to the service before.
    if (upstream.service !== this.#proxy.service)
      this.#proxy.holds.refuseAll(serviceChangedProblem);
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
    const listener = await this.#open({ port });
    // Nothing would close this listener later.
    if (this.#concurrency.closing) return await listener.close();
    this.#port = listener;
    this.#ports.add(listener);
    this.#proxy.ownPorts.add(listener.port);
    if (before !== null) void this.#retire(before, GRACE_MS);
    await this.#further.listen(this.#furtherAddresses, listener.port);
  }

  async listenFurther(addresses: readonly string[]): Promise<void> {
    this.#furtherAddresses = addresses;
    await this.#further.listen(addresses, this.port);
  }

  furtherProblem(address: string): string | null {
    return this.#further.problemOf(address);
  }

  #open(at: Pick<PortListenerOptions, 'address' | 'port'>): Promise<PortListener> {
    return openPortListener({
      ...at,
      limits: this.#proxy.limits,
      onMalformed: (problem) => recordMalformed(problem, this.#proxy),
      onCall: (call, done) => this.#accept(call, done),
    });
  }

  async close(drainMs: number): Promise<void> {
    this.#concurrency.closing = true;
    this.#proxy.wrongKeys.close();
    for (const listener of this.#ports) void this.#retire(listener, 0);
    this.#further.stop();
    await this.#concurrency.drain(drainMs);
    this.#concurrency.abortAll();
    await Promise.all([
      this.#further.close(),
      ...[...this.#ports].map((listener) => listener.close()),
    ]);
    await this.#concurrency.drain(1000);
  }

  #accept(call: ClientRequest, done: () => void): void {
    if (respondToProbe(call, this.#proxy.accessPolicy)) {
      done();
      return;
    }
    this.#proxy.onArrival();
    const proxy = this.#proxy;
    if (asksForReport(call)) void this.#serve(call, proxy, { serve: sendSelfReport, done });
    else if (isControlCall(call)) void this.#serve(call, proxy, { serve: serveControlCall, done });
    else void this.#exchange(call, proxy, done);
  }

  /** Serves a report or a call of a command. A refused one is answered and recorded as an exchange. */
  async #serve(
    call: ClientRequest,
    proxy: ProxyContext,
    { serve, done }: { readonly serve: typeof sendSelfReport; readonly done: () => void },
  ): Promise<void> {
    if (await serve(call, proxy)) {
      await call.closed;
      done();
    } else {
      await this.#exchange(call, proxy, done);
    }
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
    await call.closed;
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
