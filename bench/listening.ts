import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

/** A program to start, which listens on a port of this machine and does not say when. */
export interface ListeningProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly port: number;
  readonly environment?: NodeJS.ProcessEnv;
}

/** Starts a program and waits until its port accepts connections. Disposing it ends the program. Rejects when the program ends before. */
export async function startListening({
  command,
  args,
  port,
  environment = process.env,
}: ListeningProgram): Promise<AsyncDisposable> {
  const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env: environment });
  const ended = once(child, 'exit');
  const stopWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', stopWithUs);
  await waitUntilListening(port, child);
  return {
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGTERM');
      await ended;
      process.off('exit', stopWithUs);
    },
  };
}

async function waitUntilListening(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const socket = connect(port, '127.0.0.1');
    const taken = await Promise.race([
      once(socket, 'connect').then(() => true),
      once(socket, 'close').then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (taken) return;
    await wait(10);
  }
  throw new Error(`${child.spawnfile} ended with ${child.exitCode}.`);
}
