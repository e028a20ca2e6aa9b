import { once } from 'node:events';
import { expect, test } from 'vitest';
import { startProgram } from '../../host/process/child-process.ts';
import { RestartingProcess } from './restarting-process.ts';

/** A program whose code never gives way, so that it hears no request to end. */
const LOOP = `process.on('SIGTERM', () => process.exit()); console.log('runs'); for (;;);`;
/** One that ends in order, and says so. */
const OBEDIENT = `process.on('SIGTERM', () => process.exit(7)); console.log('runs'); setInterval(() => {}, 1000);`;

/** Starts the codes one after the other, the last one again and again. */
function open(...codes: readonly string[]) {
  const children: ReturnType<typeof startProgram>[] = [];
  const exits: (number | null)[] = [];
  const program = new RestartingProcess({
    prepare: async () => undefined,
    launch: () => {
      const code = codes[Math.min(children.length, codes.length - 1)] ?? '';
      const child = startProgram(
        { program: process.execPath, args: ['-e', code] },
        { stdio: ['ignore', 'pipe', 'inherit'] },
      );
      children.push(child);
      started.resolve(child);
      started = Promise.withResolvers();
      return child;
    },
    onExit: (code) => exits.push(code),
    onFailure: (error) => {
      throw error;
    },
  });
  let started = Promise.withResolvers<ReturnType<typeof startProgram>>();
  return {
    program,
    exits,
    /** Starts it, or starts it anew, and waits for its first word. */
    restart: async () => {
      const next = started.promise;
      program.restart();
      const child = await next;
      if (child.stdout !== null) await once(child.stdout, 'data');
      return child;
    },
  };
}

const posix = test.skipIf(process.platform === 'win32');

posix('a restart ends a program that never gives way, and starts the next', async () => {
  const { program, exits, restart } = open(LOOP, OBEDIENT);
  const first = await restart();
  const second = await restart();
  expect(first.signalCode).toBe('SIGKILL');
  await program.stop();
  expect(second.exitCode).toBe(7);
  expect(exits).toEqual([]);
});

posix('a third request to stop ends a program that never gives way', async () => {
  const { program, restart } = open(LOOP);
  const child = await restart();
  await Promise.all([program.stop(), program.stop(), program.stop()]);
  expect(child.signalCode).toBe('SIGKILL');
});

posix('a request to stop during a restart reaches the program that is ending', async () => {
  const { program, restart } = open(LOOP);
  const child = await restart();
  program.restart();
  await Promise.all([program.stop(), program.stop(), program.stop()]);
  expect(child.signalCode).toBe('SIGKILL');
});

posix('an end that nobody asked for is told', async () => {
  const { program, exits, restart } = open(OBEDIENT);
  const child = await restart();
  child.kill('SIGTERM');
  await once(child, 'close');
  expect(exits).toEqual([7]);
  await program.stop();
});
