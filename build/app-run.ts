import { constants } from 'node:os';
import { startProgram } from '../hosting/child-process.ts';

/** A Ctrl-C comes from the terminal and once more from npm: what follows so soon is the same. Milliseconds. */
const ECHO_MS = 200;

/**
 * Runs the app to its end and resolves with its exit code, as shells do 128 and more for a signal. Ctrl-C lets running exchanges end, a
 * second one does not, a third ends it on the spot.
 */
export async function runApp(electron: string, folder: string): Promise<number> {
  // In a group of its own the terminal does not reach it, so that nothing comes twice. On Windows the terminal tells it, and nobody else can.
  const detached = process.platform !== 'win32';
  const child = startProgram({ program: electron, args: [folder] }, { stdio: 'inherit', detached });
  let asked = false;
  let askedAt = 0;
  const ask = (signal: NodeJS.Signals): void => {
    const echo = performance.now() - askedAt < ECHO_MS;
    if (!detached || (asked && (echo || signal === 'SIGHUP'))) return;
    askedAt = performance.now();
    if (!asked) console.error('Stopping when what runs has ended. Ctrl-C again stops at once.');
    // Electron quits in order at the first of each kind, and ends on the spot at the next of it.
    child.kill(asked ? 'SIGTERM' : 'SIGINT');
    asked = true;
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, ask);
  return await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) =>
      resolve(code ?? (signal === null ? 1 : 128 + constants.signals[signal])),
    );
  });
}
