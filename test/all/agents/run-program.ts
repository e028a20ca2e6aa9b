import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export interface ProgramStart {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeLimitMs: number;
  /** When it resolves, the program is interrupted as by Ctrl-C. */
  readonly interruption?: Promise<void>;
}

/** How a program ended. */
export interface ProgramEnd {
  /** `null` when it was ended by a signal. */
  readonly code: number | null;
  readonly isTimedOut: boolean;
  readonly durationMs: number;
  /** What it printed on both outputs in the order of time, without colours. */
  readonly shown: string;
}

/** Runs a program until it ends or its time is over. It and the processes that it started are ended then. */
export async function runProgram(start: ProgramStart): Promise<ProgramEnd> {
  const { command, args, cwd, environment, timeLimitMs, interruption } = start;
  const startedAt = performance.now();
  const child = spawn(command, args, {
    cwd,
    // A group of its own, so that all of it can be ended.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
      LANG: 'C.UTF-8',
      TERM: 'dumb',
      ...environment,
    },
  });
  let shown = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (shown += chunk));
  }
  // What it started may hold the outputs open.
  child.once('exit', () => signalGroup(child.pid));
  interruption?.then(
    () => signalGroup(child.pid, 'SIGINT'),
    // Without a cause to interrupt it, it runs to its end.
    () => undefined,
  );
  let isTimedOut = false;
  const timer = setTimeout(() => {
    isTimedOut = true;
    signalGroup(child.pid);
  }, timeLimitMs);
  try {
    await once(child, 'close');
  } finally {
    clearTimeout(timer);
  }
  return {
    code: child.exitCode,
    isTimedOut,
    durationMs: performance.now() - startedAt,
    shown: stripVTControlCharacters(shown),
  };
}

/** Sends a signal to what is left of the group of processes that a process leads. */
function signalGroup(pid: number | undefined, signal: 'SIGKILL' | 'SIGINT' = 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
