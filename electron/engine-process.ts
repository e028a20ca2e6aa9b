import { createORPCClient } from '@orpc/client';
import { RPCLink } from '@orpc/client/message-port';
import type { ContractRouterClient } from '@orpc/contract';
import { MessageChannelMain, type MessagePortMain, utilityProcess } from 'electron';
import type { UtilityProcess } from 'electron';
import type { Contract } from '../shared/contract.ts';
import type { EngineContract, EnginePlan, Opening } from './engine-contract.ts';

/** How the engine is. `down`: it will be started again by itself at `againAt` (Unix ms), or not any more (`null`). */
export type EngineState =
  | { readonly name: 'starting' }
  | { readonly name: 'running'; readonly port: number }
  | { readonly name: 'refused'; readonly opening: Exclude<Opening, { state: 'running' }> }
  | { readonly name: 'down'; readonly againAt: number | null }
  | { readonly name: 'closed' };

export interface EngineProcessOptions {
  /** The built program of the engine. */
  readonly program: string;
  readonly plan: EnginePlan;
  /** Serves what only the main process can do on this port. */
  readonly serveNative: (port: MessagePortMain) => void;
  /** Takes what the engine prints. */
  readonly writeLog: (chunk: Buffer) => void;
  readonly onState: (state: EngineState) => void;
}

type Engine = ContractRouterClient<EngineContract>;
/** The calls of the contract, as any window makes them. */
export type Calls = ContractRouterClient<Contract>;

/** After a crash, in milliseconds: the first pause and the longest. */
const PAUSES = { first: 500, longest: 30_000 } as const;
/** So many crashes within so many minutes, and it is left to a person. */
const MOST_CRASHES = { count: 5, withinMs: 5 * 60_000 } as const;

/** The engine in a process of its own: started, watched, started again after a crash, closed in order. */
export class EngineProcess {
  readonly #options: EngineProcessOptions;
  #child: UtilityProcess | null = null;
  #engine: Engine | null = null;
  #state: EngineState = { name: 'starting' };
  #crashes: readonly number[] = [];
  #timer: NodeJS.Timeout | null = null;

  constructor(options: EngineProcessOptions) {
    this.#options = options;
  }

  get state(): EngineState {
    return this.#state;
  }

  /** Starts it, at another port for this run if one is given. */
  start(port?: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#turn({ name: 'starting' });
    const child = utilityProcess.fork(this.#options.program, [], {
      serviceName: 'Gatehouse engine',
      stdio: 'pipe',
    });
    this.#child = child;
    child.stdout?.on('data', this.#options.writeLog);
    child.stderr?.on('data', this.#options.writeLog);
    child.once('exit', () => this.#ended(child));
    const own = new MessageChannelMain();
    const native = new MessageChannelMain();
    child.postMessage('begin', [own.port2, native.port2]);
    this.#options.serveNative(native.port1);
    const engine: Engine = createORPCClient(new RPCLink({ port: own.port1 }));
    own.port1.start();
    this.#engine = engine;
    const plan = { ...this.#options.plan, ...(port === undefined ? {} : { port }) };
    engine.open(plan).then(
      (opening) => this.#opened(child, opening),
      // It ended before it answered: its end tells.
      () => undefined,
    );
  }

  /** Hands a window's port to the engine. `false` when none runs: the port is closed, and the window tries again. */
  connect(port: MessagePortMain): boolean {
    if (this.#state.name !== 'running' || this.#child === null) {
      port.close();
      return false;
    }
    this.#child.postMessage('window', [port]);
    return true;
  }

  /** A client of the contract of our own, until the engine ends; `null` when none runs. */
  calls(): Calls | null {
    const { port1, port2 } = new MessageChannelMain();
    if (!this.connect(port2)) return null;
    const calls: Calls = createORPCClient(new RPCLink({ port: port1 }));
    port1.start();
    return calls;
  }

  /** Lets running exchanges end for up to `drainMs`, then ends it. Called again, it hurries. */
  async close(drainMs: number): Promise<void> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const child = this.#child;
    this.#turn({ name: 'closed' });
    if (child === null) return;
    await this.#engine?.close({ drainMs }).catch(() => undefined);
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    if (child.pid === undefined) return;
    child.kill();
    await ended;
  }

  #opened(child: UtilityProcess, opening: Opening): void {
    if (child !== this.#child || this.#state.name !== 'starting') return;
    if (opening.state === 'running') this.#turn({ name: 'running', port: opening.port });
    else this.#refuse(child, opening);
  }

  #refuse(child: UtilityProcess, opening: Exclude<Opening, { state: 'running' }>): void {
    this.#child = null;
    child.kill();
    this.#turn({ name: 'refused', opening });
  }

  #ended(child: UtilityProcess): void {
    if (child !== this.#child) return;
    this.#child = null;
    this.#engine = null;
    if (this.#state.name === 'closed') return;
    const now = Date.now();
    this.#crashes = [...this.#crashes, now].filter((at) => at > now - MOST_CRASHES.withinMs);
    const crashes = this.#crashes.length;
    if (crashes > MOST_CRASHES.count) return this.#turn({ name: 'down', againAt: null });
    const pause = Math.min(PAUSES.first * 2 ** (crashes - 1), PAUSES.longest);
    this.#timer = setTimeout(() => this.start(), pause);
    this.#turn({ name: 'down', againAt: now + pause });
  }

  #turn(state: EngineState): void {
    this.#state = state;
    this.#options.onState(state);
  }
}
