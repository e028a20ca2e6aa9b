import type { Chat } from './chat/chat.ts';
import type { Clients } from './clients/clients.ts';
import type { Control } from './engine/control.ts';
import { inspectDataFolder } from './engine/data-folder.ts';
import { createEngine, type Engine, type EngineOptions } from './engine/engine.ts';
import type { History } from './history/history.ts';
import type { Models } from './models/models.ts';
import { formatMetrics } from './engine/metrics.ts';
import { readStatus } from './engine/status.ts';
import type { SystemProxy } from './platform.ts';
import type { MemoryBudget } from './lib/memory-budget.ts';
import { UserError } from './errors.ts';
import type { Videos } from './videos/videos.ts';

export type { Control, RunningExchanges, UpstreamWithKey } from './engine/control.ts';
export type { PlatformAdapter, SystemProxy } from './platform.ts';
export { PortAccessError, PortInUseError } from './lib/bind-server.ts';
export { openRepositories, type Repositories } from './repositories.ts';

/** The engine, running. */
export interface Gateway extends Control {
  /** Of the proxy, now. */
  readonly port: number;
  /** Exchanges on their way at this moment. */
  readonly running: number;
  /** Bytes of requests and answers that are held at this moment, and the most that may be. */
  readonly memory: Readonly<Pick<MemoryBudget, 'held' | 'bytes'>>;
  readonly history: History;
  /** Of the upstream in use now. */
  readonly models: Models;
  readonly clients: Clients;
  readonly videos: Videos;
  /** The conversations, opened when they are first asked for. Rejects with Refused, or with what the store says. */
  chat(): Promise<Chat>;
  /** What the system says of a proxy for the upstream in use. */
  readonly systemProxy: SystemProxy;
  /** Called when the status may be another one than before. Returns what stops it. */
  onStatus(listener: () => void): () => void;
  /** Opens what the proxy tells of this engine at `/status` and `/metrics`, and nothing else. Another one after every start. */
  readonly reportKey: string;
  /** The machine is about to sleep: what runs now and breaks later says so. */
  sleep(): void;
  /**
   * The machine has slept: connections from before are not used for new exchanges, the system is asked for its proxy anew, and the videos
   * are looked after at once. May be called at any time. Never rejects.
   */
  wake(): Promise<void>;
  /** Takes no new requests, gives running exchanges up to `drainMs`, writes the history and stops. The rooms stay open. */
  close(drainMs: number): Promise<void>;
}

/** Builds everything and runs it. Rejects with PortTaken, UnusableKey, Refused, or with what the store says. */
export async function openGateway(options: EngineOptions): Promise<Gateway> {
  const { repositories } = options;
  const engine = await createEngine(options);
  const { proxy, history, sessions, live, pause, services, settings, ownPorts } = engine;
  attachReport(options, engine);
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
    videos: engine.videos,
    chat: () => engine.chat.open(),
    windowKey: repositories.clients.windowKey(),
    reportKey: engine.report.key,
    status: () => Promise.resolve(readStatus(options, engine)),
    pause: () => pause.set(true),
    resume: () => pause.set(false),
    onStatus: (listener) =>
      engine.changes.add((what) => {
        if (what === 'status' || what === 'upstreams') listener();
      }),
    sleep: () => engine.sleep(),
    wake: () => engine.wake(),
    runningExchanges: () => proxy.runningExchanges(),
    on: (listener) => live.on(listener),
    listUpstreams: () => services.listUpstreams(),
    testUpstream: (form, key, signal) => services.testUpstream(form, key, signal),
    addUpstream: (form) => services.addUpstream(form),
    changeUpstream: (id, form) => services.changeUpstream(id, form),
    removeUpstream: (id) => services.removeUpstream(id),
    useUpstream: (id) => services.useUpstream(id),
    saveKey: (id, key, place) => services.saveKey(id, key, place),
    forgetKey: (id) => services.forgetKey(id),
    readKey: (id) => services.readKey(id),
    settings: () => settings.inForce(),
    changeSettings: (change) => settings.change(change),
    dataFolder: () => inspectDataFolder(repositories.host.dataDir, repositories.store),
    reveal: async (path) => {
      if (options.platform.reveal === undefined) {
        throw new UserError('Gatehouse cannot open the file manager here. Copy the path instead.');
      }
      await options.platform.reveal(path);
    },
    guardPort: (port) => void ownPorts.add(port),
    close: (drainMs) => engine.close(drainMs),
  };
}

function attachReport(options: EngineOptions, engine: Engine): void {
  const { report, proxy, limits } = engine;
  report.attach({
    metrics: () => formatMetrics({ running: proxy.running, loads: limits.loads() }),
    status: () => JSON.stringify(readStatus(options, engine)),
  });
}
