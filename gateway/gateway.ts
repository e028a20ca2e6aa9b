import type { Aliases } from './aliases/aliases.ts';
import type { Bodies } from './bodies/bodies.ts';
import type { Chat } from './chat/chat.ts';
import type { Clients } from './clients/clients.ts';
import type { SpendLimits } from './spend-limits/spend-limits.ts';
import type { Connections } from './connect/connect.ts';
import type { Doctor } from './doctor/doctor.ts';
import { ChatRun } from './engine/chat-run.ts';
import { createEngineContext, type EngineContext, type EngineOptions } from './engine/context.ts';
import type { Control } from './engine/control.ts';
import { openControllers } from './engine/controllers/controllers.ts';
import { openConnectionsOnce, warnOfMoves } from './engine/connections.ts';
import { openCore } from './engine/core.ts';
import { openDoctorOnce } from './engine/doctor.ts';
import { inspectDataFolder } from './engine/data-folder.ts';
import {
  createExchangeChanges,
  type ExchangeChanges,
} from './engine/exchanges/exchange-changes.ts';
import {
  createExchangeContents,
  type ExchangeContents,
} from './engine/exchanges/exchange-contents.ts';
import { openEngineProxy } from './engine/engine-proxy.ts';
import { formatMetrics } from './engine/metrics.ts';
import { VideoServiceLeases } from './engine/videos/video-service-leases.ts';
import { releaseMemoryWhenQuiet } from './engine/memory-release.ts';
import { readStatus } from './engine/status.ts';
import { createProfileSwitch } from './engine/profile-switch.ts';
import { watchMachine } from './engine/machine-events.ts';
import { toUpstreamControl } from './engine/controllers/upstream-controller.ts';
import { logLimits } from './engine/log-limits.ts';
import { openUsageExportsOnce } from './engine/usage-exports.ts';
import { forwardVideoChanges, openVideoRun } from './engine/videos/video-run.ts';
import { UserError } from './errors.ts';
import type { UpstreamTimes } from '../shared/upstream.ts';
import type { History } from './history/history.ts';
import type { Holds } from './holds/holds.ts';
import type { MemoryBudget } from './lib/memory-budget.ts';
import type { Models } from './models/models.ts';
import type { PlatformAdapter, SystemProxy } from './platform.ts';
import { createPriceUploads, type PriceBook, type PriceUploads } from './prices/prices.ts';
import type { UsageExports } from './reconcile/usage-exports.ts';
import type { Runaways } from './runaway/runaway.ts';
import { ConnectionRefresher } from './upstreams/connection-refresher.ts';
import type { ControlChannel } from './proxy/proxy.ts';
import type { Videos } from './videos/videos.ts';

export type { Control, RunningExchanges, UpstreamWithKey } from './engine/control.ts';
export type { PlatformAdapter, SystemProxy } from './platform.ts';
export { PortAccessError, PortInUseError } from './lib/bind-server.ts';
export { openRepositories, type Repositories } from './repositories.ts';

/** The running engine. */
export interface Gateway extends Control, ExchangeContents, ExchangeChanges {
  /** The present port of the proxy. */
  readonly port: number;
  /** Number of exchanges in flight. */
  readonly running: number;
  /** Bytes of buffered requests and responses, and their maximum. */
  readonly memory: Readonly<Pick<MemoryBudget, 'held' | 'bytes'>>;
  readonly history: History;
  readonly bodies: Pick<
    Bodies,
    | 'size'
    | 'erase'
    | 'flush'
    | 'listRuns'
    | 'listSteps'
    | 'readRun'
    | 'search'
    | 'writeFixture'
    | 'findPlace'
    | 'findTitles'
  >;
  readonly upstreamTimes: UpstreamTimes;
  /** The models of the upstream in use. */
  readonly models: Models;
  readonly clients: Clients;
  /** Opens the settings of programs at the first call; `null` where the shell names no person. */
  connections(): Promise<Connections | null>;
  /** Opens the checks of everything at the first call. */
  doctor(): Promise<Doctor>;
  readonly limits: SpendLimits;
  /** Agents that run away, and clients that were stopped. */
  readonly runaways: Pick<Runaways, 'list' | 'stop' | 'resume'>;
  /** Requests that wait for a person. */
  readonly holds: Pick<
    Holds,
    'holdNext' | 'cancel' | 'list' | 'read' | 'extend' | 'send' | 'refuse'
  >;
  readonly videos: Videos;
  readonly prices: PriceBook;
  readonly aliases: Aliases;
  /** Uses a profile of aliases and the upstream that it names; `null` for no profile. @throws UserError, NotFoundError */
  useProfile(name: string | null): Promise<void>;
  /** Files of prices that windows are sending. */
  readonly priceUploads: PriceUploads;
  /** Opens the usage exports that windows compare with the history, at the first call. @throws UserError */
  usageExports(): Promise<UsageExports>;
  /** Opens the conversations at the first call. @throws UserError, StoreError */
  chat(): Promise<Chat>;
  /** The system's proxy for the upstream in use. */
  readonly systemProxy: SystemProxy;
  /** Calls `listener` when the status may have changed. Returns the function that stops it. */
  onStatus(listener: () => void): () => void;
  /** The token for `/status` and `/metrics` at the proxy. It differs after every start. */
  readonly reportKey: string;
  /**
   * Opens a connection to the service before it is needed, and keeps one ready while clients are active; fetches the model list on it
   * when none is known. A shell calls it when it has started, because reading certificates takes a moment.
   */
  prepare(): void;
  /** The token for calls of commands at the proxy. It differs after every start. */
  readonly controlKey: string;
  /** Serves the calls of commands with this handler. They are refused before. */
  serveControl(handler: NonNullable<ControlChannel['handler']>): void;
  /** Marks the exchanges in flight before the machine sleeps, so that those that break later say so. */
  sleep(): void;
  /**
   * Replaces connections after a sleep of the machine, asks the system for its proxy again, and checks for due videos. It may be called
   * at any time. Never rejects.
   */
  wake(): Promise<void>;
  /** Accepts no new requests, waits up to `drainMs` for exchanges in flight, writes the history and stops. The repositories stay open. */
  close(drainMs: number): Promise<void>;
}

const HOUR_MS = 3_600_000;

/**
 * Opens all parts of the gateway, or none, and starts them.
 * @throws PortInUseError, PortAccessError, InvalidKeyError, UserError, StoreError
 */
export async function openGateway(options: EngineOptions): Promise<Gateway> {
  await using closing = new AsyncDisposableStack();
  const context = createEngineContext(options, closing);
  const parts = await openParts(context);
  const rest = closing.move();
  let ending: Promise<void> | null = null;
  const close = async (drainMs: number) => {
    const { chat, proxy, videoRun } = parts;
    context.serviceLimits.close();
    context.holds.close();
    await Promise.all([chat.close(drainMs), proxy.close(drainMs), videoRun.close(drainMs)]);
    // A second call, in a hurry, waits for the end of the first.
    ending ??= rest.disposeAsync();
    await ending;
  };
  return createGateway(context, parts, close);
}

type Parts = Awaited<ReturnType<typeof openParts>>;

async function openParts(context: EngineContext) {
  const { options, changes, pause, ownPorts, closing } = context;
  const { repositories } = options;
  const core = await openCore(context);
  const videoRun = await openVideoRun({
    ...core,
    ownPorts,
    videoServiceLeases: new VideoServiceLeases({ ...core, onUse: () => context.activity.emit() }),
    repositories,
    paused: () => pause.paused,
    pace: options.limits?.videos ?? {},
    closing,
  });
  const proxy = await openEngineProxy({ ...core, orders: videoRun.orders }, context);
  const controllers = await openControllers(proxy, core, context);
  const chat = new ChatRun({ ...core, ...context, repositories, proxy });
  closing.defer(() => chat.close(0));
  closing.defer(forwardVideoChanges(videoRun, changes));
  closing.defer(repositories.prices.on(() => emitPriceChange(changes)));
  closing.defer(repositories.aliases.on(() => emitAliasChange(changes)));
  const refresher = new ConnectionRefresher({
    ...core,
    limits: context.serviceLimits,
    pollIntervalMs: options.limits?.proxyLookMs ?? HOUR_MS,
    mutex: context.mutex,
    log: repositories.host.log,
  });
  closing.defer(() => refresher.close());
  watchMachine({ ...core, proxy, videoRun, refresher }, context);
  closing.defer(
    releaseMemoryWhenQuiet({
      onExchanges: (listener) => core.history.on(listener),
      isBusy: () => proxy.running > 0,
    }),
  );
  const exchangeChanges = createExchangeChanges({
    ...core,
    running: proxy,
    log: repositories.host.log,
    onChange: () => changes.emit('exchanges'),
  });
  closing.defer(() => exchangeChanges.settle());
  const spendLimits = await repositories.openSpendLimits();
  closing.defer(spendLimits.on(() => changes.emit('clients')));
  closing.defer(logLimits({ ...core, repositories, limits: spendLimits }));
  videoRun.begin();
  return {
    ...core,
    ...controllers,
    videoRun,
    proxy,
    chat,
    refresher,
    exchangeChanges,
    spendLimits,
    usageExports: openUsageExportsOnce(context, core),
  };
}

/** Videos have their cost by the prices. */
function emitPriceChange(changes: EngineContext['changes']): void {
  for (const topic of ['prices', 'videos'] as const) changes.emit(topic);
}

/** The status has the profile in use. */
function emitAliasChange(changes: EngineContext['changes']): void {
  for (const topic of ['aliases', 'status'] as const) changes.emit(topic);
}

function createGateway(context: EngineContext, parts: Parts, close: Gateway['close']): Gateway {
  const { options, ownPorts, report } = context;
  const { proxy, history, sessions, videoRun, chat, refresher, live, services, settings } = parts;
  const { repositories, platform } = options;
  const status = () => readStatus(context, parts);
  const lazy = openLazily(context, parts);
  report.attach({
    metrics: () => formatMetrics({ running: proxy.running, loads: context.serviceLimits.loads() }),
    status: () => JSON.stringify(status()),
  });
  return {
    get port() {
      return proxy.port;
    },
    get running() {
      return proxy.running;
    },
    get models() {
      return sessions.current.models;
    },
    get systemProxy() {
      return sessions.current.systemProxy;
    },
    get upstreamTimes() {
      return sessions.times;
    },
    memory: proxy.memory,
    history,
    bodies: parts.bodies,
    runaways: parts.runaways,
    ...createExchangeContents({ ...parts, repositories }, options.version),
    ...parts.exchangeChanges,
    ...toMoney(repositories, parts),
    ...lazy,
    ...toAliases(repositories, services),
    videos: videoRun.videos,
    chat: () => chat.open(),
    ...toKeys(context),
    ...toWaiting(context),
    status: () => Promise.resolve(status()),
    onStatus: (listener) => onStatusChange(context, listener),
    prepare: () => {
      sessions.prepare();
      void warnOfMoves(repositories.host, lazy.connections);
    },
    sleep: () => proxy.sleep(),
    wake: () => refresher.reconnect().then(() => videoRun.restart()),
    runningExchanges: () => proxy.runningExchanges(),
    on: (listener) => live.on(listener),
    ...toUpstreamControl(services),
    settings: () => settings.effective(),
    changeSettings: (change) => settings.change(change),
    savedFilters: repositories.savedFilters,
    dataFolder: () => inspectDataFolder(repositories.host.dataDir, repositories.store),
    reveal: (path) => reveal(platform, path),
    reservePort: (port) => void ownPorts.add(port),
    close,
  };
}

/** Returns what is opened at its first call. */
function openLazily(context: EngineContext, parts: Parts): Pick<Gateway, 'connections' | 'doctor'> {
  const connections = openConnectionsOnce(context, parts);
  return { connections, doctor: openDoctorOnce(context, { ...parts, connections }) };
}

function toKeys({
  options: { repositories },
  report,
  control,
}: EngineContext): Pick<Gateway, 'windowKey' | 'reportKey' | 'controlKey' | 'serveControl'> {
  return {
    windowKey: repositories.clients.ownKey('window'),
    reportKey: report.key,
    controlKey: control.key,
    serveControl: (handler) => control.attach(handler),
  };
}

/** Returns what makes requests wait or be refused. */
function toWaiting({ pause, holds }: EngineContext): Pick<Gateway, 'pause' | 'resume' | 'holds'> {
  return { pause: () => pause.set(true), resume: () => pause.set(false), holds };
}

function toMoney(
  { prices, host, clients }: EngineOptions['repositories'],
  { spendLimits: limits, usageExports }: Pick<Parts, 'spendLimits' | 'usageExports'>,
): Pick<Gateway, 'clients' | 'limits' | 'prices' | 'priceUploads' | 'usageExports'> {
  const priceUploads = createPriceUploads(host.randomBytes);
  return { clients, limits, prices, priceUploads, usageExports };
}

function toAliases(
  { aliases }: EngineOptions['repositories'],
  services: Pick<Control, 'useUpstream'>,
): Pick<Gateway, 'aliases' | 'useProfile'> {
  return { aliases, useProfile: createProfileSwitch(aliases, (id) => services.useUpstream(id)) };
}

async function reveal(platform: PlatformAdapter, path: string): Promise<void> {
  if (platform.reveal === undefined) {
    throw new UserError('Gatehouse cannot open the file manager here. Copy the path instead.');
  }
  await platform.reveal(path);
}

function onStatusChange({ changes }: EngineContext, listener: () => void): () => void {
  return changes.on((topic) => {
    if (topic === 'status' || topic === 'upstreams') listener();
  });
}
