import { Mutex } from 'async-mutex';
import type { EffectiveSettings } from '../../shared/settings.ts';
import type { Upstream } from '../../shared/upstream.ts';
import { type History, openHistory } from '../history/history.ts';
import type { Host } from '../host.ts';
import { ChatRun } from './chat-run.ts';
import { ExternalChangeSync } from './external-changes.ts';
import { type KeyRing, openKeyRing } from '../upstreams/key-ring.ts';
import { LastError } from './last-error.ts';
import type { PlatformAdapter } from '../platform.ts';
import type { UpstreamSessionDeps } from '../upstreams/upstream-session.ts';
import { UpstreamSessions } from '../upstreams/upstream-sessions.ts';
import { Emitter } from '../lib/emitter.ts';
import { type ChangedTopic, LiveEventBroadcaster } from './live-events.ts';
import { createServiceLimits, type PauseState } from './pause-state.ts';
import { MemoryBudget, bodyMemoryBudget } from '../lib/memory-budget.ts';
import { LIMITS, type Limits, openProxy, type Proxy } from '../proxy/proxy.ts';
import { UserError } from '../errors.ts';
import type { Repositories } from '../repositories.ts';
import { Report } from './self-report.ts';
import { UpstreamCatalog, type UpstreamOverride } from '../upstreams/upstream-catalog.ts';
import { UpstreamController } from './upstream-control.ts';
import type { ServiceLimits } from '../service-limit/service-limits.ts';
import { guardSecrets, openServiceKeys } from '../upstreams/service-keys.ts';
import { forwardVideoChanges, openVideoRun } from './video-run.ts';
import type { VideoTiming, Videos, VideoRunner } from '../videos/videos.ts';
import { ConnectionRefresher } from '../upstreams/connection-refresher.ts';
import { ConnectionPool, type ConnectionPoolOptions } from '../upstreams/connection-pool.ts';
import { ServiceConnections } from './service-connections.ts';
import { createSystemProxyResolver } from '../upstreams/system-proxy.ts';
import { SettingsController } from './settings-control.ts';

export interface EngineOptions {
  readonly repositories: Repositories;
  readonly platform: PlatformAdapter;
  /** Of Gatehouse. */
  readonly version: string;
  /** For this run; unless given the active one of the data folder, or the sandbox. */
  readonly upstream?: UpstreamOverride;
  /** For this run; unless given that of the settings. 0 for any free one. */
  readonly port?: number;
  /** Turns every repair off for this run. */
  readonly strict?: boolean;
  /** What may not be changed in this run, with the reason in words for people. */
  readonly pinned?: EffectiveSettings['pinned'];
  /** Origins of web pages that may use the proxy. */
  readonly allowedOrigins: readonly string[];
  readonly limits?: Partial<Limits> & {
    readonly videos?: Partial<VideoTiming>;
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
  readonly sessions: UpstreamSessions;
  readonly limits: ServiceLimits;
  readonly live: LiveEventBroadcaster;
  readonly changes: Emitter<ChangedTopic>;
  readonly pause: PauseState;
  readonly lastError: LastError;
  readonly services: UpstreamController;
  readonly settings: SettingsController;
  readonly videos: Videos;
  readonly chat: ChatRun;
  /** Ports of this machine that we listen on. */
  readonly ownPorts: Set<number>;
  sleep(): void;
  wake(): Promise<void>;
  close(drainMs: number): Promise<void>;
}

/** What all parts have in common. */
interface EngineContext {
  readonly options: EngineOptions;
  readonly id: string;
  readonly report: Report;
  readonly ownPorts: Set<number>;
  readonly changes: Emitter<ChangedTopic>;
  readonly pause: PauseState;
  readonly limits: Limits;
  readonly serviceLimits: ServiceLimits;
  readonly mutex: Mutex;
  /** Closes what was opened, the latest first. */
  readonly closing: AsyncDisposableStack;
}

const ID_BYTES = 4;
const HOUR_MS = 3_600_000;

/** Opens all parts, or none. Rejects with PortTaken, UnusableKey, Refused, or with what the store says. */
export async function createEngine(options: EngineOptions): Promise<Engine> {
  const { log, now } = options.repositories.host;
  await using closing = new AsyncDisposableStack();
  const common = openEngineContext(options, closing);
  const { id, ownPorts, changes, pause, serviceLimits, report, mutex } = common;
  const base = await openBase(common);
  const run = await openVideoRun({
    ...base,
    ownPorts,
    serviceConnections: new ServiceConnections(base),
    repositories: options.repositories,
    paused: () => pause.paused,
    pace: options.limits?.videos ?? {},
    closing,
  });
  const proxy = await openProxyOn({ ...base, orders: run.orders }, common);
  const control = await openControl(proxy, base, common);
  const chat = new ChatRun({ ...base, ...common, repositories: options.repositories, proxy });
  closing.defer(() => chat.close(0));
  closing.defer(forwardVideoChanges(run, changes));
  const { proxyLookMs: lookMs = HOUR_MS } = options.limits ?? {};
  const ways = new ConnectionRefresher({
    ...base,
    limits: serviceLimits,
    pollIntervalMs: lookMs,
    mutex,
    log,
  });
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
    sessions: base.sessions,
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
      await ways.reconnect();
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

function openEngineContext(options: EngineOptions, closing: AsyncDisposableStack): EngineContext {
  const { now, randomBytes } = options.repositories.host;
  const limits = { ...LIMITS, ...options.limits };
  const changes = new Emitter<ChangedTopic>();
  const { pause, serviceLimits } = createServiceLimits(changes, { waitMs: limits.queueMs, now });
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
    mutex: new Mutex(),
    closing,
  };
}

/** What the proxy stands on. */
interface Base {
  readonly catalog: UpstreamCatalog;
  readonly ring: KeyRing;
  readonly redact: (text: string) => string;
  readonly history: History;
  readonly lastError: LastError;
  readonly record: History['record'];
  readonly connecting: ConnectionPoolOptions;
  readonly pool: ConnectionPool;
  readonly sessions: UpstreamSessions;
}

async function openBase(common: EngineContext): Promise<Base> {
  const { options, ownPorts, changes, limits, closing } = common;
  const { repositories, platform } = options;
  const { host, store, upstreams } = repositories;
  const { log, now } = host;
  const catalog = new UpstreamCatalog({ upstreams, platform, override: options.upstream });
  closing.defer(() => catalog.close());
  const ring = openKeyRing({
    open: (baseUrl) => openServiceKeys(baseUrl, catalog, options),
    onChange: (baseUrl) => {
      common.serviceLimits.of(baseUrl).keyChanged();
      for (const what of ['status', 'upstreams'] as const) changes.emit(what);
    },
  });
  closing.defer(() => ring.close());
  const redact = guardSecrets(ring, repositories);
  const keep = () => {
    const { keepDays, keepHeadersDays, mostMiB } = repositories.settings.current();
    return { days: keepDays, headersDays: keepHeadersDays, bytes: mostMiB * 2 ** 20 };
  };
  const history = openHistory({
    store,
    now,
    redact,
    log,
    getRetention: keep,
    clock: repositories.clock,
  });
  closing.defer(() => history.close());
  const lastError = new LastError(redact);
  closing.defer(lastError.follow(history, () => changes.emit('status')));
  const record: History['record'] = (exchange, heads) => {
    history.record(exchange, heads);
    lastError.note(exchange);
  };
  const connecting = {
    connectMs: limits.connectMs,
    ownPorts,
    systemProxyFor: createSystemProxyResolver(platform, log),
    limits: common.serviceLimits,
  };
  const pool = new ConnectionPool(connecting);
  closing.defer(() => pool.close());
  const deps = {
    host,
    store,
    pool,
    limits: common.serviceLimits,
    record,
    clock: repositories.clock,
    onChange: (what) => changes.emit(what),
  } satisfies UpstreamSessionDeps;
  const sessions = new UpstreamSessions({ deps, ring });
  closing.defer(() => sessions.close());
  await activateInitial(await catalog.initial(), sessions, host);
  return { catalog, ring, redact, history, lastError, record, connecting, pool, sessions };
}

/** A file with certificates that is gone must not keep Gatehouse from starting: what needs them fails, and says so. */
async function activateInitial(
  upstream: Upstream,
  sessions: UpstreamSessions,
  { log }: Host,
): Promise<void> {
  try {
    await sessions.activate(upstream);
  } catch (error) {
    if (!(error instanceof UserError) || error.field !== 'caFile') throw error;
    log('warn', `The certificates for ${upstream.baseUrl} are not used. ${error.message}`);
    await sessions.activate({ ...upstream, caFile: null });
  }
}

async function openProxyOn(
  { sessions, redact, orders }: Base & Pick<VideoRunner, 'orders'>,
  common: EngineContext,
): Promise<Proxy> {
  const { options, ownPorts, limits, id, pause } = common;
  const { repositories, allowedOrigins, strict = false } = options;
  const { port, repairs } = repositories.settings.current();
  const { log, now, randomBytes } = repositories.host;
  const gate = { allowedOrigins, via: `gatehouse-${id}` };
  const { clients } = repositories;
  const proxy = await openProxy({
    port: options.port ?? port,
    ground: {
      accessPolicy: gate,
      limits,
      memory: new MemoryBudget(options.limits?.heldBytes ?? bodyMemoryBudget()),
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
    upstream: sessions.binding,
    strict: strict || !repairs,
  });
  sessions.setProxy(proxy);
  common.closing.defer(() => proxy.close(0));
  return proxy;
}

async function openControl(proxy: Proxy, base: Base, common: EngineContext) {
  const { options, changes, mutex, closing } = common;
  const { repositories, platform, pinned = {}, strict = false } = options;
  const { history, sessions, catalog, ring, connecting } = base;
  const { log } = repositories.host;
  const { upstreams } = repositories;
  const onChange = (what: ChangedTopic) => changes.emit(what);
  const prune = () => {
    history
      .prune()
      .catch((error: unknown) =>
        log('warn', 'Old exchanges stay for now.', { reason: String(error) }),
      );
  };
  const settings = new SettingsController({
    settings: repositories.settings,
    proxy,
    platform,
    pinned,
    strict,
    prune,
    mutex,
    log,
    onChange,
  });
  const services = new UpstreamController({
    upstreams,
    catalog,
    sessions,
    ring,
    host: repositories.host,
    connecting,
    pinned: pinned.upstream,
    mutex,
    onChange,
  });
  const live = new LiveEventBroadcaster({ history, proxy, changes });
  closing.defer(() => live.close());
  closing.defer(repositories.clients.on(() => onChange('clients')));
  const step = new ExternalChangeSync({
    repositories,
    keyRing: ring,
    sessions,
    settings,
    locked: pinned.upstream !== undefined,
    mutex,
    onChange,
  });
  closing.defer(await step.start());
  return { settings, services, live };
}
