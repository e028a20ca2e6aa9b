import type { Chat } from './chat/chat.ts';
import type { Clients } from './clients/clients.ts';
import { ChatRun } from './engine/chat-run.ts';
import { createEngineContext, type EngineContext, type EngineOptions } from './engine/context.ts';
import type { Control } from './engine/control.ts';
import { openControllers } from './engine/controllers.ts';
import { openCore } from './engine/core.ts';
import { inspectDataFolder } from './engine/data-folder.ts';
import { openEngineProxy } from './engine/engine-proxy.ts';
import { formatMetrics } from './engine/metrics.ts';
import { ServiceConnections } from './engine/service-connections.ts';
import { readStatus } from './engine/status.ts';
import { toUpstreamControl } from './engine/upstream-control.ts';
import { forwardVideoChanges, openVideoRun } from './engine/video-run.ts';
import { UserError } from './errors.ts';
import type { History } from './history/history.ts';
import type { MemoryBudget } from './lib/memory-budget.ts';
import type { Models } from './models/models.ts';
import type { SystemProxy } from './platform.ts';
import { ConnectionRefresher } from './upstreams/connection-refresher.ts';
import type { Videos } from './videos/videos.ts';

export type { Control, RunningExchanges, UpstreamWithKey } from './engine/control.ts';
export type { PlatformAdapter, SystemProxy } from './platform.ts';
export { PortAccessError, PortInUseError } from './lib/bind-server.ts';
export { openRepositories, type Repositories } from './repositories.ts';

/** The running engine. */
export interface Gateway extends Control {
  /** The present port of the proxy. */
  readonly port: number;
  /** Number of exchanges in flight. */
  readonly running: number;
  /** Bytes of buffered requests and responses, and their maximum. */
  readonly memory: Readonly<Pick<MemoryBudget, 'held' | 'bytes'>>;
  readonly history: History;
  /** The models of the upstream in use. */
  readonly models: Models;
  readonly clients: Clients;
  readonly videos: Videos;
  /** Opens the conversations at the first call. @throws UserError, StoreError */
  chat(): Promise<Chat>;
  /** The system's proxy for the upstream in use. */
  readonly systemProxy: SystemProxy;
  /** Calls `listener` when the status may have changed. Returns the function that stops it. */
  onStatus(listener: () => void): () => void;
  /** The token for `/status` and `/metrics` at the proxy. It differs after every start. */
  readonly reportKey: string;
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
    serviceConnections: new ServiceConnections(core),
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
  const refresher = new ConnectionRefresher({
    ...core,
    limits: context.serviceLimits,
    pollIntervalMs: options.limits?.proxyLookMs ?? HOUR_MS,
    mutex: context.mutex,
    log: repositories.host.log,
  });
  closing.defer(() => refresher.close());
  videoRun.begin();
  return { ...core, ...controllers, videoRun, proxy, chat, refresher };
}

function createGateway(context: EngineContext, parts: Parts, close: Gateway['close']): Gateway {
  const { options, changes, pause, ownPorts, report } = context;
  const { proxy, history, sessions, videoRun, chat, refresher } = parts;
  const { live, services, settings } = parts;
  const { repositories, platform } = options;
  const status = () => readStatus(context, parts);
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
    memory: proxy.memory,
    history,
    clients: repositories.clients,
    videos: videoRun.videos,
    chat: () => chat.open(),
    windowKey: repositories.clients.windowKey(),
    reportKey: report.key,
    status: () => Promise.resolve(status()),
    pause: () => pause.set(true),
    resume: () => pause.set(false),
    onStatus: (listener) =>
      changes.add((what) => {
        if (what === 'status' || what === 'upstreams') listener();
      }),
    sleep: () => proxy.sleep(),
    wake: async () => {
      await refresher.reconnect();
      videoRun.restart();
    },
    runningExchanges: () => proxy.runningExchanges(),
    on: (listener) => live.on(listener),
    ...toUpstreamControl(services),
    settings: () => settings.inForce(),
    changeSettings: (change) => settings.change(change),
    dataFolder: () => inspectDataFolder(repositories.host.dataDir, repositories.store),
    reveal: async (path) => {
      if (platform.reveal === undefined) {
        throw new UserError('Gatehouse cannot open the file manager here. Copy the path instead.');
      }
      await platform.reveal(path);
    },
    reservePort: (port) => void ownPorts.add(port),
    close,
  };
}
