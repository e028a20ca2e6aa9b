import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../host/process/child-process.ts';
import { APP_LEAVES, APP_STARTED, STOP_APP } from '../host/process/launcher-messages.ts';
import { listenForStopSignals } from '../host/process/stop-signals.ts';
import { environmentOfElectron } from './electron/electron-environment.ts';
import { CRASHES, whyItDidNotStart, whyItEnded } from './electron/electron-failure.ts';

/** How the app ended: as it was asked to, or without that, with the reason in a sentence. */
export type AppEnd = { readonly exitCode: number } | { readonly failure: string };

type Child = ReturnType<typeof startProgram>;

/** The request that ends the app at once, which a program that does not answer needs. */
const AT_ONCE = 3;
/** Enough for the last words of a program that cannot go on. Characters. */
const MOST_KEPT = 64 * 1024;
/** So long a process that Electron leaves behind may hold its output open. Milliseconds. */
const LAST_WORDS_MS = 1_000;

/**
 * Runs the app to its end. Ctrl-C lets running exchanges end, a second one does not, a third ends the app at once. Its end counts as asked
 * for after a Ctrl-C, after the app has told that it leaves, and with exit code 0; as a failure when it ended before it told that it
 * runs, and when it crashed later. The exit code after a signal is 128 and more, as shells have it.
 */
export async function runApp(program: string, folder: string): Promise<AppEnd> {
  const child = startProgram(
    { program, args: [folder] },
    {
      stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
      // In a group of its own the terminal does not reach it, so that it is asked by messages alone, which every system has.
      detached: true,
      // On Windows it would join the terminal of its parent, and end at its Ctrl-C.
      env: { ...environmentOfElectron(process.env), ELECTRON_NO_ATTACH_CONSOLE: '1' },
    },
  );
  const told = { asked: false, started: false };
  const stopListening = listenForStopSignals((times) => {
    if (times === 1)
      console.error('Stopping when what runs has ended. Ctrl-C again stops at once.');
    told.asked = true;
    ask(child, times);
  });
  child.on('message', (message) => {
    if (message === APP_STARTED) told.started = true;
    if (message === APP_LEAVES) told.asked = true;
  });
  const printed = passOn(child);
  try {
    const { exitCode, signal } = await endOf(child);
    const hasCrashed = signal !== null && CRASHES.has(signal);
    const isFailure = !told.asked && exitCode !== 0 && (hasCrashed || !told.started);
    // The listening goes on, for the echo of the last Ctrl-C must not end this process by a signal.
    if (!isFailure)
      return { exitCode: exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal]) };
    stopListening();
    const { env: environment } = process;
    // An app that has run says other things than why it cannot run.
    const said = told.started ? '' : printed();
    return {
      failure: await whyItEnded({ program, environment, exitCode, signal, printed: said }),
    };
  } catch (error) {
    stopListening();
    return { failure: await whyItDidNotStart(program, error) };
  } finally {
    // A process that it left behind may hold the other end for as long as it likes.
    child.stderr?.destroy();
  }
}

function ask(child: Child, times: number): void {
  if (times >= AT_ONCE) child.kill('SIGKILL');
  // A program that does not take messages is no app of ours yet, or not any more.
  else if (child.connected) child.send(STOP_APP, () => undefined);
  else child.kill();
}

/** Passes on what it writes to standard error, and gives the latest of it. */
function passOn(child: Child): () => string {
  // A terminal that is gone, or a pipe that nobody reads any more, takes nothing; the app still has to be asked to end.
  process.stderr.on('error', () => undefined);
  let kept = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    kept = (kept + chunk.toString()).slice(-MOST_KEPT);
  });
  return () => kept;
}

/** Waits for its end and for what it wrote before. Rejects when it could not be started. */
async function endOf(child: Child) {
  // When it cannot be started, the other one says so.
  const closed = once(child, 'close').catch(() => undefined);
  await once(child, 'exit');
  await Promise.race([closed, pause(LAST_WORDS_MS, undefined, { ref: false })]);
  return { exitCode: child.exitCode, signal: child.signalCode };
}
