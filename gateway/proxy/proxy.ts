import type { MemoryBudget } from '../lib/memory-budget.ts';
import { Emitter } from '../lib/emitter.ts';
import { responseClosed } from './response/send-response.ts';
import type { ClientRequest, ProxyDeps, UpstreamBinding, ProxyContext } from './context.ts';
import { type PortListener, openPortListener } from './inbound/port-listener.ts';
import { exchange } from './exchange.ts';
import { ExchangeIds } from '../history/exchange-ids.ts';
import { respondToProbe } from './inbound/probes.ts';
import { recordMalformed } from './response/send-problem.ts';
import { type RunningExchanges, listInFlight } from './in-flight-exchange.ts';
import { asksForReport, sendSelfReport } from './inbound/self-report.ts';
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
  /** Exchanges on their way at this moment. */
  readonly running: number;
  /** What is held of requests and answers. */
  readonly memory: MemoryBudget;
  runningExchanges(): RunningExchanges;
  /** Called when an exchange is on its way to a route, and when one has ended. Returns what stops it. */
  onRunning(listener: () => void): () => void;
  /** The machine is about to sleep: exchanges on their way that break later say so. */
  sleep(): void;
  /** Sends new exchanges to this upstream. Exchanges in flight keep the one that they began with. */
  activate(upstream: UpstreamBinding): void;
  /** Whether new exchanges are left as they are. */
  setStrict(strict: boolean): void;
  /** Listens on another port before it leaves this one; running exchanges finish where they are. Stays where it is when it is closing. Rejects with PortTaken or PortForbidden. */
  move(port: number): Promise<void>;
  /** Takes no new requests, waits up to `drainMs` for running exchanges to finish, then ends what is left. */
  close(drainMs: number): Promise<void>;
}

export interface ProxyOptions {
  /** 0 for any free one. */
  readonly port: number;
  readonly deps: ProxyDeps;
  readonly upstream: UpstreamBinding;
  readonly strict: boolean;
}

/** Who dialled the old port a moment ago is still answered there. */
const GRACE_MS = 1_000;

/** Opens the listener on the loopback addresses. Rejects with PortTaken or PortForbidden. */
export async function openProxy(options: ProxyOptions): Promise<Proxy> {
  const proxy = new RunningProxy(options);
  await proxy.move(options.port);
  return proxy;
}

class RunningProxy implements Proxy {
  readonly #traffic: ConcurrencyLimit;
  readonly #listeners = new Emitter();
  /** Those that are being left, too. */
  readonly #doors = new Set<PortListener>();
  #door: PortListener | null = null;
  #proxy: ProxyContext;

  constructor({ deps, upstream, strict }: ProxyOptions) {
    const traffic = new ConcurrencyLimit(deps.limits.exchanges);
    this.#traffic = traffic;
    this.#proxy = {
      ...deps,
      ...upstream,
      strict,
      ids: new ExchangeIds(deps.randomBytes),
      unknownCallers: new UnknownClients(),
      wrongKeys: new WrongKeyThrottle(deps.limits.wrongKeyMs),
      inFlightExchanges: new Set(),
      onRunning: () => this.#listeners.emit(),
      rejectionReason: () => traffic.rejectionReason(),
      abortSignal: traffic.abortSignal,
    };
  }

  get port(): number {
    return this.#door?.port ?? 0;
  }

  get running(): number {
    return this.#traffic.running;
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
    const before = this.#door;
    for (const left of this.#doors) if (left !== before && left.port === port) left.stopAccepting();
    const door = await openPortListener({
      port,
      limits: this.#proxy.limits,
      onMalformed: (problem) => recordMalformed(problem, this.#proxy),
      onCall: (call, leave) => this.#take(call, leave),
    });
    // Nobody would close this one any more.
    if (this.#traffic.closing) return await door.close();
    this.#door = door;
    this.#doors.add(door);
    this.#proxy.ownPorts.add(door.port);
    if (before !== null) void this.#leave(before, GRACE_MS);
  }

  async close(drainMs: number): Promise<void> {
    this.#traffic.closing = true;
    this.#proxy.wrongKeys.close();
    for (const door of this.#doors) void this.#leave(door, 0);
    await this.#traffic.drain(drainMs);
    this.#traffic.abortAll();
    await Promise.all([...this.#doors].map((door) => door.close()));
    await this.#traffic.drain(1000);
  }

  #take(call: ClientRequest, leave: () => void): void {
    const proxy = this.#proxy;
    if (respondToProbe(call, proxy.accessPolicy)) {
      leave();
      return;
    }
    if (asksForReport(call)) void this.#report(call, proxy, leave);
    else this.#exchange(call, proxy, leave);
  }

  /** A report is no exchange, unless it is refused. */
  async #report(call: ClientRequest, proxy: ProxyContext, leave: () => void): Promise<void> {
    if (await sendSelfReport(call, proxy)) leave();
    else this.#exchange(call, proxy, leave);
  }

  #exchange(call: ClientRequest, proxy: ProxyContext, leave: () => void): void {
    const release = proxy.lease();
    this.#traffic.begin();
    void conduct(call, proxy, () => {
      this.#traffic.finish();
      release();
      leave();
    });
  }

  async #leave(door: PortListener, graceMs: number): Promise<void> {
    await door.drain(graceMs);
    this.#doors.delete(door);
    const usedAgain = [...this.#doors].some(({ port }) => port === door.port);
    if (!usedAgain) this.#proxy.ownPorts.delete(door.port);
  }
}

async function conduct(
  call: ClientRequest,
  proxy: ProxyContext,
  finished: () => void,
): Promise<void> {
  try {
    await exchange(call, proxy);
  } catch (error) {
    // `exchange` answers every failure itself; what is left is a bug in answering.
    proxy.log('error', `An exchange could not be concluded: ${proxy.redact(String(error))}`);
    call.response.destroy();
  }
  // Until then the connection must not be ended.
  await responseClosed(call.response);
  finished();
}
