import type { SettingsInForce } from '../../shared/settings.ts';
import type { Upstream } from '../../shared/upstream.ts';
import { type History, openHistory } from '../history/history.ts';
import type { Host } from '../host.ts';
import { ChatRun } from './chat-run.ts';
import { InStep } from './in-step.ts';
import { type InTurn, makeInTurn } from '../in-turn.ts';
import { type KeyRing, openKeyRing } from './key-ring.ts';
import { LastError } from './last-error.ts';
import type { Lender } from '../lender.ts';
import type { LinkGround } from './link.ts';
import { Links } from './links.ts';
import { Listeners } from '../listeners.ts';
import { type Changed, Live } from './live.ts';
import type { Pause } from './pause.ts';
import { MemoryBudget, memoryForBodies } from '../memory-budget.ts';
import { LIMITS, type Limits, openProxy, type Proxy } from '../proxy/proxy.ts';
import { Refused } from '../refused.ts';
import type { Rooms } from '../rooms.ts';
import { Report } from './report.ts';
import { Roster, type UpstreamForRun } from './roster.ts';
import { Services } from './service-control.ts';
import { openLimits, type ServiceLimits } from './service-limits.ts';
import { guardSecrets, openKeysFor } from './service-keys.ts';
import { followChanges, openVideoRun } from './video-run.ts';
import type { VideoPace, Videos, VideosRun } from '../videos/videos.ts';
import { Ways } from './ways.ts';
import { Wires } from './wires.ts';
import { makeAskSystemProxy } from './system-proxy.ts';
import { SettingControl } from './setting-control.ts';

export interface EngineOptions {
  readonly rooms: Rooms;
  readonly lender: Lender;
  /** Of Gatehouse. */
  readonly version: string;
  /** For this run; unless given the active one of the data folder, or the sandbox. */
  readonly upstream?: UpstreamForRun;
  /** For this run; unless given that of the settings. 0 for any free one. */
  readonly port?: number;
  /** Turns every repair off for this run. */
  readonly strict?: boolean;
  /** What may not be changed in this run, with the reason in words for people. */
  readonly pinned?: SettingsInForce['pinned'];
  /** Origins of web pages that may use the proxy. */
  readonly allowedOrigins: readonly string[];
  readonly limits?: Partial<Limits> & {
    readonly videos?: Partial<VideoPace>;
    /** The most that is held of requests and answers, in bytes; a share of this machine's memory unless given. */
    readonly heldBytes?: number;
    /** Between two questions about the proxy of the system: an hour unless given. */
    readonly proxyLookMs?: number;
  };
}

/** The parts of the engine, wired and running. */
export interface Engine {
  /** Differs after every start. */
  readonly id: string;
  /** Tells others of the engine at its proxy. */
  readonly report: Report;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
  readonly proxy: Proxy;
  readonly history: History;
  readonly links: Links;
  readonly limits: ServiceLimits;
  readonly live: Live;
  readonly changes: Listeners<Changed>;
  readonly pause: Pause;
  readonly lastError: LastError;
  readonly services: Services;
  readonly settings: SettingControl;
  readonly videos: Videos;
  readonly chat: ChatRun;
  /** Ports of this machine that we listen on. */
  readonly ownPorts: Set<number>;
  sleep(): void;
  wake(): Promise<void>;
  close(drainMs: number): Promise<void>;
}

/** What all parts have in common. */
interface Common {
  readonly options: EngineOptions;
  readonly id: string;
  readonly report: Report;
  readonly ownPorts: Set<number>;
  readonly changes: Listeners<Changed>;
  readonly pause: Pause;
  readonly limits: Limits;
  readonly serviceLimits: ServiceLimits;
  readonly inTurn: InTurn;
  /** Closes what was opened, the latest first. */
  readonly closing: AsyncDisposableStack;
}

const ID_BYTES = 4;
const HOUR_MS = 3_600_000;

/** Opens all parts, or none. Rejects with PortTaken, UnusableKey, Refused, or with what the store says. */
export async function assemble(options: EngineOptions): Promise<Engine> {
  const { log, now } = options.rooms.host;
  await using closing = new AsyncDisposableStack();
  const common = openCommon(options, closing);
  const { id, ownPorts, changes, pause, serviceLimits, report, inTurn } = common;
  const base = await openBase(common);
  const wires = new Wires(base);
  closing.defer(() => wires.close());
  const run = await openVideoRun({
    ...base,
    wires,
    rooms: options.rooms,
    paused: () => pause.paused,
    pace: options.limits?.videos ?? {},
    closing,
  });
  const proxy = await openProxyOn({ ...base, orders: run.orders }, common);
  const control = await openControl(proxy, base, common);
  const chat = new ChatRun({ ...base, ...common, rooms: options.rooms, proxy });
  closing.defer(() => chat.close(0));
  closing.defer(followChanges(run, changes));
  const { proxyLookMs: lookMs = HOUR_MS } = options.limits ?? {};
  const ways = new Ways({ ...base, wires, limits: serviceLimits, lookMs, inTurn, log });
  closing.defer(() => ways.close());
  run.begin();
  const rest = closing.move();
  let ending: Promise<void> | null = null;
  return {
    id,
    report,
    startedAt: now(),
    proxy,
    history: base.history,
    links: base.links,
    limits: serviceLimits,
    lastError: base.lastError,
    changes,
    pause,
    ...control,
    videos: run.videos,
    chat,
    ownPorts,
    sleep: () => proxy.sleep(),
    wake: async () => {
      await ways.renew();
      run.wake();
    },
    close: async (drainMs) => {
      serviceLimits.close();
      await Promise.all([chat.close(drainMs), proxy.close(drainMs), run.close(drainMs)]);
      // Who closes a second time, in a hurry, waits for the end of the first.
      ending ??= rest.disposeAsync();
      await ending;
    },
  };
}

function openCommon(options: EngineOptions, closing: AsyncDisposableStack): Common {
  const { now, randomBytes } = options.rooms.host;
  const limits = { ...LIMITS, ...options.limits };
  const changes = new Listeners<Changed>();
  const { pause, serviceLimits } = openLimits(changes, { waitMs: limits.queueMs, now });
  closing.defer(() => serviceLimits.close());
  return {
    options,
    id: Buffer.from(randomBytes(ID_BYTES)).toString('hex'),
    report: new Report(randomBytes),
    ownPorts: new Set<number>(),
    changes,
    pause,
    limits,
    serviceLimits,
    inTurn: makeInTurn(),
    closing,
  };
}

/** What the proxy stands on. */
interface Base {
  readonly roster: Roster;
  readonly ring: KeyRing;
  readonly redact: (text: string) => string;
  readonly history: History;
  readonly lastError: LastError;
  readonly record: History['record'];
  readonly ground: LinkGround;
  readonly links: Links;
}

async function openBase(common: Common): Promise<Base> {
  const { options, ownPorts, changes, limits, closing } = common;
  const { rooms, lender } = options;
  const { host, store, upstreams } = rooms;
  const { log, now } = host;
  const roster = new Roster({ upstreams, lender, forRun: options.upstream });
  closing.defer(() => roster.close());
  const ring = openKeyRing({
    open: (baseUrl) => openKeysFor(baseUrl, roster, options),
    onChange: (baseUrl) => {
      common.serviceLimits.of(baseUrl).keyChanged();
      for (const what of ['status', 'upstreams'] as const) changes.tell(what);
    },
  });
  closing.defer(() => ring.close());
  const redact = guardSecrets(ring, rooms);
  const keep = () => {
    const { keepDays, keepHeadersDays, mostMiB } = rooms.settings.current();
    return { days: keepDays, headersDays: keepHeadersDays, bytes: mostMiB * 2 ** 20 };
  };
  const history = openHistory({ store, now, redact, log, keep, clock: rooms.clock });
  closing.defer(() => history.close());
  const lastError = new LastError(redact);
  closing.defer(lastError.follow(history, () => changes.tell('status')));
  const record: History['record'] = (exchange, heads) => {
    history.record(exchange, heads);
    lastError.note(exchange);
  };
  const ground = {
    host,
    store,
    connectMs: limits.connectMs,
    ownPorts,
    systemProxyFor: makeAskSystemProxy(lender, log),
    limits: common.serviceLimits,
    record,
    clock: rooms.clock,
    onChange: (what) => changes.tell(what),
  } satisfies LinkGround;
  const links = new Links({ ground, ring });
  closing.defer(() => links.close());
  await useFirst(await roster.first(), links, host);
  return { roster, ring, redact, history, lastError, record, ground, links };
}

/** A file with certificates that is gone must not keep Gatehouse from starting: what needs them fails, and says so. */
async function useFirst(upstream: Upstream, links: Links, { log }: Host): Promise<void> {
  try {
    await links.use(upstream);
  } catch (error) {
    if (!(error instanceof Refused) || error.field !== 'caFile') throw error;
    log('warn', `The certificates for ${upstream.baseUrl} are not used. ${error.message}`);
    await links.use({ ...upstream, caFile: null });
  }
}

async function openProxyOn(
  { links, redact, orders }: Base & Pick<VideosRun, 'orders'>,
  common: Common,
): Promise<Proxy> {
  const { options, ownPorts, limits, id, pause } = common;
  const { rooms, allowedOrigins, strict = false } = options;
  const { port, repairs } = rooms.settings.current();
  const { log, now, randomBytes } = rooms.host;
  const gate = { allowedOrigins, via: `gatehouse-${id}` };
  const { clients } = rooms;
  const proxy = await openProxy({
    port: options.port ?? port,
    ground: {
      gate,
      limits,
      memory: new MemoryBudget(options.limits?.heldBytes ?? memoryForBodies()),
      clients,
      ownPorts,
      orders,
      report: common.report,
      paused: () => pause.paused,
      log,
      redact,
      now,
      randomBytes,
    },
    link: links.current.forProxy,
    strict: strict || !repairs,
  });
  links.attach(proxy);
  common.closing.defer(() => proxy.close(0));
  return proxy;
}

async function openControl(proxy: Proxy, base: Base, common: Common) {
  const { options, changes, inTurn, closing } = common;
  const { rooms, lender, pinned = {}, strict = false } = options;
  const { history, links, roster, ring, ground } = base;
  const { log } = rooms.host;
  const { upstreams } = rooms;
  const onChange = (what: Changed) => changes.tell(what);
  const prune = () => {
    history
      .prune()
      .catch((error: unknown) =>
        log('warn', 'Old exchanges stay for now.', { reason: String(error) }),
      );
  };
  const settings = new SettingControl({
    settings: rooms.settings,
    proxy,
    lender,
    pinned,
    strict,
    prune,
    inTurn,
    log,
    onChange,
  });
  const services = new Services({
    upstreams,
    roster,
    links,
    ring,
    ground,
    pinned: pinned.upstream,
    inTurn,
    onChange,
  });
  const live = new Live({ history, proxy, changes });
  closing.defer(() => live.close());
  closing.defer(rooms.clients.on(() => onChange('clients')));
  const step = new InStep({
    rooms,
    ring,
    links,
    settings,
    pinned: pinned.upstream !== undefined,
    inTurn,
    onChange,
  });
  closing.defer(await step.keep());
  return { settings, services, live };
}
