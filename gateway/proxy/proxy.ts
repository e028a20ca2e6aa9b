import type { MemoryBudget } from '../memory-budget.ts';
import { Listeners } from '../listeners.ts';
import { Attendance } from './attendance.ts';
import { type Call, whenDelivered } from './call.ts';
import { type Door, openDoor } from './door.ts';
import { exchange } from './exchange.ts';
import { ExchangeIds } from './exchange-ids.ts';
import { answerLocally } from './local-answer.ts';
import type { ProxyGround, ProxyLink, ProxyParts } from './parts.ts';
import { noteMalformed } from './refuse.ts';
import { type RunningExchanges, runningExchanges } from './running.ts';
import { asksForReport, reportSelf } from './self-report.ts';
import { Traffic } from './traffic.ts';
import { UnknownCallers } from './unknown-callers.ts';
import { WrongKeys } from './wrong-keys.ts';

export { hasFaultyFraming, headOf, isKnownTransferCoding, isOurHost } from './admit.ts';
export type { AnswerBody } from './answer-body.ts';
export { type Connections, openConnections } from './connections.ts';
export { ExchangeIds } from './exchange-ids.ts';
export { SendFailure, upstreamProblem } from './failure.ts';
export { header, WINDOW_COOKIE } from './hop.ts';
export { keyMask } from './key-mask.ts';
export {
  type AnsweredUpload,
  type KeptAnswer,
  type OrderVerdict,
  type SentOrder,
  tellsOutcome,
  type VideoOrder,
  type VideoOrders,
} from './orders.ts';
export { LIMITS, type Limits, type ProxyLink, type Target } from './parts.ts';
export { followRedirects, openNamed } from './redirect.ts';
export { openRefusedParameters } from './refused-parameters.ts';
export { readRetryAfter } from './retry.ts';
export type { RunningExchanges } from './running.ts';
export { type Incoming, type Outgoing, send } from './send.ts';
export type { SelfReport } from './self-report.ts';
export { serviceCredentials } from './service-key.ts';
export { ServiceLimit } from './service-limit/service-limit.ts';
export { paused, serviceChanged } from './turned-away.ts';

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
  /** Sends new exchanges by this link. Resolves when the last one on the link before has ended. */
  use(link: ProxyLink): Promise<void>;
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
  readonly ground: ProxyGround;
  readonly link: ProxyLink;
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
  readonly #traffic: Traffic;
  readonly #listeners = new Listeners();
  /** Those that are being left, too. */
  readonly #doors = new Set<Door>();
  #door: Door | null = null;
  #parts: ProxyParts;
  /** The exchanges on the link in use. */
  #onLink = new Attendance();

  constructor({ ground, link, strict }: ProxyOptions) {
    const traffic = new Traffic(ground.limits.exchanges);
    this.#traffic = traffic;
    this.#parts = {
      ...ground,
      ...link,
      strict,
      ids: new ExchangeIds(ground.randomBytes),
      unknownCallers: new UnknownCallers(),
      wrongKeys: new WrongKeys(ground.limits.wrongKeyMs),
      drafts: new Set(),
      onRunning: () => this.#listeners.tell(),
      turnedAway: () => traffic.turnedAway(),
      cutting: traffic.cutting,
    };
  }

  get port(): number {
    return this.#door?.port ?? 0;
  }

  get running(): number {
    return this.#traffic.running;
  }

  get memory(): MemoryBudget {
    return this.#parts.memory;
  }

  runningExchanges(): RunningExchanges {
    return runningExchanges(this.#parts.drafts, this.#parts.redact);
  }

  onRunning(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  sleep(): void {
    for (const draft of this.#parts.drafts) draft.slept = true;
  }

  async use(link: ProxyLink): Promise<void> {
    const before = this.#onLink;
    this.#onLink = new Attendance();
    this.#parts = { ...this.#parts, ...link };
    await before.empty();
  }

  setStrict(strict: boolean): void {
    this.#parts = { ...this.#parts, strict };
  }

  async move(port: number): Promise<void> {
    const before = this.#door;
    for (const left of this.#doors) if (left !== before && left.port === port) left.free();
    const door = await openDoor({
      port,
      limits: this.#parts.limits,
      onMalformed: (problem) => noteMalformed(problem, this.#parts),
      onCall: (call, leave) => this.#take(call, leave),
    });
    // Nobody would close this one any more.
    if (this.#traffic.closing) return await door.close();
    this.#door = door;
    this.#doors.add(door);
    this.#parts.ownPorts.add(door.port);
    if (before !== null) void this.#leave(before, GRACE_MS);
  }

  async close(drainMs: number): Promise<void> {
    this.#traffic.closing = true;
    this.#parts.wrongKeys.close();
    for (const door of this.#doors) void this.#leave(door, 0);
    await this.#traffic.quiet(drainMs);
    this.#traffic.cut();
    await Promise.all([...this.#doors].map((door) => door.close()));
    await this.#traffic.quiet(1000);
  }

  #take(call: Call, leave: () => void): void {
    const parts = this.#parts;
    if (answerLocally(call, parts.gate)) {
      leave();
      return;
    }
    if (asksForReport(call)) void this.#report(call, parts, leave);
    else this.#exchange(call, parts, leave);
  }

  /** A report is no exchange, unless it is refused. */
  async #report(call: Call, parts: ProxyParts, leave: () => void): Promise<void> {
    if (await reportSelf(call, parts)) leave();
    else this.#exchange(call, parts, leave);
  }

  #exchange(call: Call, parts: ProxyParts, leave: () => void): void {
    const onLink = this.#onLink;
    this.#traffic.begin();
    onLink.enter();
    void conduct(call, parts, () => {
      this.#traffic.finish();
      onLink.leave();
      leave();
    });
  }

  async #leave(door: Door, graceMs: number): Promise<void> {
    await door.retire(graceMs);
    this.#doors.delete(door);
    const usedAgain = [...this.#doors].some(({ port }) => port === door.port);
    if (!usedAgain) this.#parts.ownPorts.delete(door.port);
  }
}

async function conduct(call: Call, parts: ProxyParts, finished: () => void): Promise<void> {
  try {
    await exchange(call, parts);
  } catch (error) {
    // `exchange` answers every failure itself; what is left is a bug in answering.
    parts.log('error', `An exchange could not be concluded: ${parts.redact(String(error))}`);
    call.reply.destroy();
  }
  // Until then the connection must not be ended.
  await whenDelivered(call.reply);
  finished();
}
