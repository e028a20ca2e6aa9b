import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { app, MessageChannelMain, type MessagePortMain, utilityProcess } from 'electron';
import type { Log } from '../../gateway/host.ts';
import type { Contract } from '../../shared/contract.ts';
import type { EngineState } from '../../shared/desktop/desktop-contract.ts';
import type {
  EngineContract,
  EngineOptions,
  StartResult,
} from '../../host/engine/engine-contract.ts';
import { consumeFatalReport } from '../../host/log/fatal-report.ts';
import { killUtility } from './kill-utility.ts';
import type { Native } from '../native.ts';

export interface EngineProcessOptions {
  /** Path of the built program of the engine. */
  readonly program: string;
  readonly options: EngineOptions;
  readonly serveNative: Native['serve'];
  readonly log: Log;
  /** Path of the log file, for the last lines of an engine. */
  readonly logFile: string;
  /** Receives the engine's output, which is its log. */
  readonly writeLog: (chunk: string | Uint8Array) => void;
  readonly onState: (state: EngineState) => void;
}

/** A client of the contract, like that of any window. */
export type Calls = ContractRouterClient<Contract>;

/** One process of the engine, from its start to its end. */
interface Child {
  readonly engine: ContractRouterClient<EngineContract>;
  /** Transfers a port to it. */
  readonly sendPort: (port: MessagePortMain) => void;
  /** Resolves with its exit code. */
  readonly ended: Promise<number>;
  readonly kill: () => void;
}

const NAME = 'Gatehouse engine';
/** Delays before a restart after each crash within a period, in milliseconds; after one more crash a person has to restart it. */
const RESTART_PAUSES_MS = [500, 2_000, 8_000, 30_000] as const;
const CRASH_WINDOW_MS = 5 * 60_000;
/** Timeout for an engine to write and close everything after the last exchange has ended. */
const CLOSE_TIMEOUT_MS = 10_000;

/** Runs the engine in a process of its own: starts it, watches it, restarts it after a crash, closes it in order. */
export class EngineProcess {
  readonly #options: EngineProcessOptions;
  #child: Child | null = null;
  #state: EngineState = { name: 'starting' };
  #port: number | undefined;
  #crashes: readonly number[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(options: EngineProcessOptions) {
    this.#options = options;
    this.#port = options.options.port;
    app.on('child-process-gone', (_event, { type, name = type, reason, exitCode }) =>
      options.log('warn', 'A process of the app has ended.', { name, reason, exitCode }),
    );
  }

  get state(): EngineState {
    return this.#state;
  }

  /** Starts the engine unless it runs, on the previous port or on another one for this run. */
  start(port = this.#port): void {
    if (this.#child !== null || this.#state.name === 'closed') return;
    clearTimeout(this.#timer);
    if (this.#state.name === 'down' && this.#state.againAt === null) this.#crashes = [];
    this.#port = port;
    this.#setState({ name: 'starting' });
    const child = this.#fork();
    this.#child = child;
    void child.ended.then((code) => this.#onEnded(child, code));
    child.engine.open({ ...this.#options.options, ...(port === undefined ? {} : { port }) }).then(
      (opening) => this.#onOpened(child, opening),
      // It ended before it answered, which its exit reports.
      () => undefined,
    );
  }

  /** Transfers a window's port to the engine. Returns `false` when none runs: the port is closed, and the window tries again. */
  connect(port: MessagePortMain): boolean {
    if (this.#state.name !== 'running' || this.#child === null) {
      port.close();
      return false;
    }
    this.#child.sendPort(port);
    return true;
  }

  /** A client of the contract, valid until the engine ends; `null` when none runs. */
  calls(): Calls | null {
    const { port1, port2 } = new MessageChannelMain();
    if (!this.connect(port2)) return null;
    const calls: Calls = createORPCClient(new RPCLink({ port: port1 }));
    port1.start();
    return calls;
  }

  /** Tells the engine that the machine is about to sleep, or has woken. */
  notifyPower(does: 'sleep' | 'wake'): void {
    // An engine that ends meanwhile has no exchanges to mark or drop.
    this.#child?.engine[does]().catch(() => undefined);
  }

  /** Lets running exchanges finish for up to `drainMs`, then ends the engine. A second call hurries. */
  async close(drainMs: number): Promise<void> {
    clearTimeout(this.#timer);
    if (this.#state.name !== 'closed') this.#setState({ name: 'closed' });
    if (this.#child !== null) await this.#close(this.#child, drainMs);
  }

  async #close({ engine, ended, kill }: Child, drainMs: number): Promise<void> {
    // The process exits by itself, so its answer may never arrive.
    engine.close({ drainMs }).catch(() => undefined);
    const late = setTimeout(kill, drainMs + CLOSE_TIMEOUT_MS);
    await ended;
    clearTimeout(late);
  }

  #fork(): Child {
    const { program, serveNative, log, logFile, writeLog } = this.#options;
    const child = utilityProcess.fork(program, [logFile], { serviceName: NAME, stdio: 'pipe' });
    let pid: number | undefined;
    child.once('spawn', () => (pid = child.pid));
    child.stdout?.on('data', writeLog);
    child.stderr?.on('data', writeLog);
    child.on('error', (type, location) =>
      log('error', 'The engine cannot go on.', { type, location }),
    );
    const ended = new Promise<number>((resolve) =>
      child.once('exit', (code) => {
        const reason = consumeFatalReport(logFile, pid);
        if (reason !== null) log('error', 'The engine cannot go on.', { reason });
        resolve(code);
      }),
    );
    const own = new MessageChannelMain();
    const native = new MessageChannelMain();
    child.postMessage('begin', [own.port2, native.port2]);
    serveNative(native.port1, (port) => this.#onPortChange(port));
    const engine: Child['engine'] = createORPCClient(new RPCLink({ port: own.port1 }));
    own.port1.start();
    return {
      engine,
      sendPort: (port) => child.postMessage('window', [port]),
      ended,
      kill: () => killUtility(child),
    };
  }

  #onOpened(child: Child, opening: StartResult): void {
    if (child !== this.#child || this.#state.name === 'closed') return;
    if (opening.state === 'running') {
      this.#port = opening.port;
      return this.#setState({ name: 'running', port: opening.port });
    }
    this.#child = null;
    void this.#close(child, 0);
    this.#options.log('warn', 'The engine does not start.', { reason: opening.sentence });
    this.#setState({ name: 'refused', sentence: opening.sentence, next: opening.next });
  }

  /** Stores the new port. The clients of the engine's contract already know it. */
  #onPortChange(port: number): void {
    this.#port = port;
    if (this.#state.name === 'running') this.#state = { name: 'running', port };
  }

  #onEnded(child: Child, code: number): void {
    if (child !== this.#child) return;
    this.#child = null;
    if (this.#state.name === 'closed') return;
    const now = Date.now();
    this.#crashes = [...this.#crashes, now].filter((at) => at > now - CRASH_WINDOW_MS);
    const pause = RESTART_PAUSES_MS[this.#crashes.length - 1];
    if (pause !== undefined) this.#timer = setTimeout(() => this.start(), pause);
    const againAt = pause === undefined ? null : now + pause;
    this.#options.log('error', 'The engine has ended by itself.', {
      crashes: this.#crashes.length,
      again: againAt === null ? 'when a person says so' : new Date(againAt).toISOString(),
      code,
    });
    this.#setState({ name: 'down', againAt });
  }

  #setState(state: EngineState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}
