import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Sandbox } from '../../../sandbox/server.ts';
import { PROGRAM } from './program.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
/** Hundreds of processes start from the same sources: what one has compiled the others need not. */
const COMPILED = join(ROOT, 'out', 'compiled');

/** A command that ended. */
export interface CommandResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A gateway that runs in a process of its own. */
export interface RunningServer extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly banner: string;
  readonly port: number;
  /** The local key in the banner; empty when it shows none. */
  readonly localKey: string;
  /** Resolves when standard error has this text. */
  errorSays(words: string): Promise<void>;
  stop(signal: NodeJS.Signals): Promise<CommandResult>;
}

/** A command on its way. */
export interface RunningCommand extends AsyncDisposable {
  readonly child: ChildProcess;
  /** Resolves when standard error has this text. */
  errorSays(words: string): Promise<void>;
  /** Resolves when standard output has this text. */
  says(words: string): Promise<void>;
  readonly finished: Promise<CommandResult>;
}

export interface RunOptions {
  readonly environment?: NodeJS.ProcessEnv;
  readonly input?: string;
  /** A file for standard output. */
  readonly output?: string;
  /** Serves at the port of the settings; otherwise at any free one, which `--port` decides. */
  readonly ownPort?: boolean;
  /** A command that runs it, as `unshare`. */
  readonly within?: readonly string[];
}

/** A machine of its own: no home, no session, no data, but the commands. */
export interface TestMachine extends AsyncDisposable {
  readonly dataDir: string;
  readonly home: string;
  run(args: readonly string[], call?: RunOptions): Promise<CommandResult>;
  /** Runs a command whose standard output must be one JSON document. */
  json(args: readonly string[], call?: RunOptions): Promise<unknown>;
  start(args: readonly string[], call?: RunOptions): ChildProcess;
  serve(args?: readonly string[], call?: RunOptions): Promise<RunningServer>;
  /** Starts a command that takes a while. */
  begin(args: readonly string[], call?: RunOptions): RunningCommand;
  /** Runs a command in front of a screen and a keyboard, as a person does. The screen has `COLUMNS` columns, or 120. */
  startAtScreen(args: readonly string[], environment?: NodeJS.ProcessEnv): ScreenSession;
}

/** A command that believes that a person sits there. */
export interface ScreenSession extends AsyncDisposable {
  /** Resolves when the screen shows this text. */
  waitFor(words: string): Promise<void>;
  /** Everything that was shown so far, with what moves and colours it. */
  output(): string;
  type(keys: string): void;
  readonly ended: Promise<number | null>;
}

/** Whether a screen can be made here: by util-linux's `script`; that of macOS takes other arguments. */
export const SCRIPT_INSTALLED =
  process.platform === 'linux' && spawnSync('script', ['--version']).status === 0;

/** The environment of a command whose service is a sandbox of the test. */
export function sandboxEnvironment({ url, key }: Sandbox): NodeJS.ProcessEnv {
  return { GATEHOUSE_UPSTREAM_URL: url, GATEHOUSE_UPSTREAM_KEY: key };
}

export async function openTestMachine(program = PROGRAM): Promise<TestMachine> {
  const home = await mkdtemp(join(tmpdir(), 'gatehouse-cli-'));
  const dataDir = join(home, 'data');
  const createEnvironment = (more: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
    PATH: process.env['PATH'],
    HOME: home,
    GATEHOUSE_DATA_DIR: dataDir,
    GATEHOUSE_UI_PORT: '0',
    NODE_COMPILE_CACHE: COMPILED,
    ...more,
  });
  const start = (
    args: readonly string[],
    { environment = {}, output, within = [] }: RunOptions = {},
  ) => {
    const file = output === undefined ? null : openSync(output, 'w');
    const [first = '', ...rest] = [...within, process.execPath, program, ...args];
    const child = spawn(first, rest, {
      env: createEnvironment(environment),
      stdio: ['pipe', file ?? 'pipe', 'pipe'],
    });
    if (file !== null) closeSync(file);
    return child;
  };
  const run = async (args: readonly string[], call: RunOptions = {}) => {
    const child = start(args, call);
    child.stdin?.end(call.input ?? '');
    return await finish(child);
  };
  return {
    dataDir,
    home,
    start,
    run,
    begin(args, call) {
      const child = start(args, call);
      child.stdin?.end();
      return beginning(child);
    },
    startAtScreen: (args, environment = {}) =>
      openScreenSession([program, ...args], createEnvironment({ TERM: 'xterm', ...environment })),
    async json(args, call) {
      const { stdout, stderr, code } = await run([...args, '--json'], call);
      if (code === 2) {
        throw new Error(`Called wrongly: ${stderr}`);
      }
      return JSON.parse(stdout);
    },
    async serve(args = [], call = {}) {
      const port = call.ownPort === true ? [] : ['--port', '0'];
      const child = start(['serve', ...port, ...args], call);
      child.stdin?.end(call.input ?? '');
      return await running(child);
    },
    async [Symbol.asyncDispose]() {
      await rm(home, { recursive: true });
    },
  };
}

function openScreenSession(args: readonly string[], environment: NodeJS.ProcessEnv): ScreenSession {
  const line = [process.execPath, ...args].map((arg) => `'${arg}'`).join(' ');
  // A screen has no width until it is told one.
  const sized = `stty cols ${environment['COLUMNS'] ?? 120}; exec ${line}`;
  const child = spawn('script', ['--quiet', '--return', '--command', sized, '/dev/null'], {
    env: environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const screen = listen(child, 'stdout');
  const ended = codeOf(child);
  return {
    ended,
    waitFor: async (words) => await screen.says(words),
    output: () => screen.output(),
    type: (keys) => void child.stdin?.write(keys),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function finish(child: ChildProcess): Promise<CommandResult> {
  const [stdout, stderr] = await Promise.all([collect(child.stdout), collect(child.stderr)]);
  const code = child.exitCode ?? (child.signalCode === null ? await codeOf(child) : null);
  return { code, stdout, stderr };
}

async function collect(stream: ChildProcess['stdout']): Promise<string> {
  return stream === null ? '' : await text(stream);
}

async function codeOf(child: ChildProcess): Promise<number | null> {
  const [code] = await once(child, 'exit');
  return typeof code === 'number' ? code : null;
}

async function running(child: ChildProcess): Promise<RunningServer> {
  const out = listen(child, 'stdout');
  const errors = listen(child, 'stderr');
  await Promise.race([out.says('Ctrl-C stops'), failedStart(child, errors)]);
  const banner = out.output();
  const ended = once(child, 'close');
  return {
    child,
    banner,
    port: Number(/http:\/\/127\.0\.0\.1:(\d+)\/v1/u.exec(banner)?.[1]),
    localKey: /gh-[\w-]{43}/u.exec(banner)?.[0] ?? '',
    errorSays: async (words) => await errors.says(words),
    async stop(signal) {
      child.kill(signal);
      await ended;
      return { code: child.exitCode, stdout: out.output(), stderr: errors.output() };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function beginning(child: ChildProcess): RunningCommand {
  const out = listen(child, 'stdout');
  const errors = listen(child, 'stderr');
  const finished = once(child, 'close').then(() => ({
    code: child.exitCode,
    stdout: out.output(),
    stderr: errors.output(),
  }));
  return {
    child,
    errorSays: async (words) => await errors.says(words),
    says: async (words) => await out.says(words),
    finished,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await finished;
    },
  };
}

async function failedStart(child: ChildProcess, errors: OutputListener): Promise<never> {
  await once(child, 'close');
  throw new Error(`Gatehouse ended before it was running: ${errors.output()}`);
}

interface OutputListener {
  output(): string;
  says(words: string): Promise<void>;
}

function listen(child: ChildProcess, name: 'stdout' | 'stderr'): OutputListener {
  let all = '';
  const waiting = new Set<() => void>();
  child[name]?.setEncoding('utf8').on('data', (chunk: string) => {
    all += chunk;
    waiting.forEach((look) => look());
  });
  return {
    output: () => all,
    says: async (words) =>
      await new Promise((resolve) => {
        const look = () => {
          if (all.includes(words)) {
            waiting.delete(look);
            resolve();
          }
        };
        waiting.add(look);
        look();
      }),
  };
}
