import { type ChildProcess, fork } from 'node:child_process';
import { constants } from 'node:os';
import { join } from 'node:path';
import { PassThrough, type Readable } from 'node:stream';
import type { UtilityProcess as ElectronUtility } from 'electron';
import { app } from './app.ts';
import { StrictMock, strictly } from './strict-mock.ts';
import { MessagePortMain } from './transport/ports.ts';
import { afterReady } from './readiness.ts';
import { Relay, type RelayCalls } from './transport/relay.ts';
import type { Control, UtilityFault } from './transport/messages.ts';
import { answers, stage } from './test-side.ts';
import { RpcChannel } from './transport/rpc-channel.ts';

/** A parent calls these in its utility process. */
export interface ToUtility extends RelayCalls {
  message(message: { readonly data: unknown; readonly ports: readonly string[] }): void;
  /** Answered as long as the process goes on. */
  lives(nothing: null): void;
  fault(fault: UtilityFault): void;
}

export interface FromUtility extends RelayCalls {
  message(message: { readonly data: unknown }): void;
}

const running = new Set<UtilityProcess>();
const BOOT = join(import.meta.dirname, 'utility-process.ts');

/** The limit lets its memory run out before that of the machine. */
const HEAP = process.env['ELECTRON_MOCK_SMALL_HEAP'] === '1' ? ['--max-old-space-size=64'] : [];

/** A Node process of its own, which finds its parent at `process.parentPort`. */
class UtilityProcess
  extends StrictMock
  implements Pick<ElectronUtility, 'kill' | 'pid' | 'postMessage' | 'stderr' | 'stdout'>
{
  readonly #child: ChildProcess;
  readonly #relay: Relay;
  readonly #channel: RpcChannel<ToUtility>;
  #pid: number | undefined;
  #streams: { readonly stdout: Readable | null; readonly stderr: Readable | null };

  constructor(file: string, args: readonly string[], options: Electron.ForkOptions) {
    super('UtilityProcess', ['spawn', 'exit', 'message', 'error']);
    const child = spawnUtility(file, args, options);
    const relay = new Relay('m', {
      portMessage: (letter) => this.#channel.tell('portMessage', letter),
      portClosed: (port) => this.#channel.tell('portClosed', port),
    });
    this.#child = child;
    this.#relay = relay;
    this.#channel = new RpcChannel<ToUtility>(child, {
      message: ({ data }) => void this.emit('message', data),
      portMessage: (letter) => relay.portMessage(letter),
      portClosed: (port) => relay.portClosed(port),
    } satisfies FromUtility);
    this.#streams = { stdout: this.#held(child.stdout), stderr: this.#held(child.stderr) };
    running.add(this);
    const serviceName = options.serviceName ?? 'Node Utility Process';
    const seen = { serviceName, pid: child.pid ?? 0 };
    child.on('spawn', () => {
      this.#pid = child.pid;
      stage.tell('utilitySeen', seen);
      this.emit('spawn');
    });
    child.on('exit', (code, signal) => {
      stage.tell('utilityGone', seen);
      this.#end(serviceName, code, signal);
    });
  }

  get pid(): number | undefined {
    return this.#pid;
  }

  get stdout(): Readable | null {
    return this.#streams.stdout;
  }

  get stderr(): Readable | null {
    return this.#streams.stderr;
  }

  postMessage(data: unknown, transfer: readonly unknown[] = []): void {
    const ports = transfer.map((port) => this.#relay.depart(MessagePortMain.disentangle(port)));
    this.#channel.tell('message', { data, ports });
  }

  kill(): boolean {
    return this.#child.kill('SIGTERM');
  }

  fault(fault: UtilityFault): void {
    this.#channel.tell('fault', fault);
  }

  /** Passes its output on while it lives: Electron hears nothing of what a pipe still holds at its end. */
  #held(stream: Readable | null): Readable | null {
    if (stream === null) return null;
    const output = new PassThrough();
    stream.on('data', (piece: Buffer) => {
      this.#channel.ask('lives', null).then(
        () => output.write(piece),
        () => undefined,
      );
    });
    return output;
  }

  /** Its end is told before the reason of it, as it may be in Electron. */
  #end(serviceName: string, code: number | null, signal: NodeJS.Signals | null): void {
    const { stdout, stderr } = this.#streams;
    running.delete(this);
    this.#pid = undefined;
    this.#relay.closeAll();
    this.emit('exit', exitCode(code, signal));
    for (const stream of [stdout, stderr]) stream?.removeAllListeners();
    this.#streams = { stdout: null, stderr: null };
    if (code === 0) return;
    const gone = {
      type: 'Utility',
      reason: reasonOf(signal),
      exitCode: exitCode(code, signal),
      serviceName,
      name: serviceName,
    };
    app.emit('child-process-gone', {}, gone);
  }
}

/** The reason in Chromium's words for a process that did not end normally. */
function reasonOf(signal: NodeJS.Signals | null): Electron.Details['reason'] {
  if (signal === null) return 'abnormal-exit';
  return ['SIGINT', 'SIGKILL', 'SIGTERM'].includes(signal) ? 'killed' : 'crashed';
}

function spawnUtility(
  file: string,
  args: readonly string[],
  { env, cwd, execArgv = [], stdio = 'inherit' }: Electron.ForkOptions,
): ChildProcess {
  const streams = Array.isArray(stdio) ? stdio : [stdio, stdio, stdio];
  if (Array.isArray(stdio) && stdio[0] !== 'ignore') {
    throw new Error('stdin of a utility process must be ignored');
  }
  const [out = 'inherit', error = 'inherit'] = streams.slice(1);
  return fork(file, [...args], {
    execArgv: [...HEAP, '--disable-warning=ExperimentalWarning', '--import', BOOT, ...execArgv],
    serialization: 'advanced',
    // With the last, a test that waits for the end of the app waits for this process, too.
    stdio: ['ignore', kindOf(out), kindOf(error), 'ipc', 2],
    ...(env === undefined ? {} : { env: stringsOf(env) }),
    ...(cwd === undefined ? {} : { cwd }),
  });
}

function kindOf(name: string): 'pipe' | 'ignore' | 'inherit' {
  if (name === 'pipe' || name === 'ignore' || name === 'inherit') return name;
  throw new Error(`'${name}' is no kind of stream of a utility process`);
}

function stringsOf(env: object): NodeJS.ProcessEnv {
  const wrong = Object.entries(env).find(([, value]) => typeof value !== 'string');
  if (wrong !== undefined) throw new TypeError(`Invalid value for env: ${wrong[0]}`);
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, String(value)]));
}

function exitCode(code: number | null, signal: NodeJS.Signals | null): number {
  return code ?? (signal === null ? 0 : constants.signals[signal]);
}

export const utilityProcess = strictly('utilityProcess', {
  fork(file: string, args: readonly string[] = [], options: Electron.ForkOptions = {}) {
    afterReady('utilityProcess cannot be created');
    return new UtilityProcess(file, args, options);
  },
});

Object.assign(answers, {
  utilityFault: (fault) => {
    for (const one of running) if (one.pid === fault.pid) one.fault(fault);
  },
} satisfies Partial<Control>);
