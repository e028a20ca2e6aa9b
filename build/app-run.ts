import { once } from 'node:events';
import { constants } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { startProgram } from '../host/process/child-process.ts';
import { APP_LEAVES, APP_STARTED, STOP_APP } from '../host/process/launcher-messages.ts';
import { listenForStopSignals } from '../host/process/stop-signals.ts';
import { environmentOfElectron } from './electron/electron-environment.ts';
import { CRASHES, explainStartFailure, explainEnd } from './electron/electron-failure.ts';

/** How the app ended: on request, or otherwise, with the reason in a sentence. */
export type AppEnd = { readonly exitCode: number } | { readonly failure: string };

type Child = ReturnType<typeof startProgram>;

/** The number of the request that kills the app, for a program that does not respond. */
const AT_ONCE = 3;
/** Maximum length of the last error output of a program, in characters. */
const MAX_KEPT = 64 * 1024;
/** Timeout for a process that Electron leaves behind and that holds its output open, in milliseconds. */
const LAST_WORDS_MS = 1_000;

/**
 * Runs the app to its end. The first Ctrl-C lets running exchanges finish, a second one does not, a third kills the app. The end counts
 * as requested after a Ctrl-C, after the app has announced that it leaves, and with exit code 0; as a failure when it ended before it
 * announced that it runs, and when it crashed later. The exit code after a signal is 128 plus its number, as in shells.
 */
export async function runApp(program: string, folder: string): Promise<AppEnd> {
  const child = startProgram(
    { program, args: [folder] },
    {
      stdio: ['inherit', 'inherit', 'pipe', 'ipc'],
      // In a process group of its own, the app gets no signals from the terminal and is asked by messages only, which every system has.
      detached: true,
      // On Windows it would share the terminal of its parent and end at its Ctrl-C.
      env: { ...environmentOfElectron(process.env), ELECTRON_NO_ATTACH_CONSOLE: '1' },
    },
  );
  const state = { asked: false, started: false };
  const stopListening = listenForStopSignals((times) => {
    if (times === 1)
      console.error('Stopping when what runs has ended. Ctrl-C again stops at once.');
    state.asked = true;
    ask(child, times);
  });
  child.on('message', (message) => {
    if (message === APP_STARTED) state.started = true;
    if (message === APP_LEAVES) state.asked = true;
  });
  const printed = passOn(child);
  try {
    const { exitCode, signal } = await waitForEnd(child);
    const hasCrashed = signal !== null && CRASHES.has(signal);
    const isFailure = !state.asked && exitCode !== 0 && (hasCrashed || !state.started);
    // Listening continues, because the echo of the last Ctrl-C must not end this process by a signal.
    if (!isFailure)
      return { exitCode: exitCode ?? 128 + (signal === null ? 0 : constants.signals[signal]) };
    stopListening();
    const { env: environment } = process;
    // The output of an app that has run does not explain why it cannot start.
    const output = state.started ? '' : printed();
    return {
      failure: await explainEnd({ program, environment, exitCode, signal, printed: output }),
    };
  } catch (error) {
    stopListening();
    return { failure: await explainStartFailure(program, error) };
  } finally {
    // A process that it left behind may hold the other end for any time.
    child.stderr?.destroy();
  }
}

function ask(child: Child, times: number): void {
  if (times >= AT_ONCE) child.kill('SIGKILL');
  // A program that does not accept messages is not our app yet, or not any more.
  else if (child.connected) child.send(STOP_APP, () => undefined);
  else child.kill();
}

/** Passes on the error output and keeps the end of it. */
function passOn(child: Child): () => string {
  // A closed terminal or pipe accepts no output; the app still has to be asked to end.
  process.stderr.on('error', () => undefined);
  let latest = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    latest = (latest + chunk.toString()).slice(-MAX_KEPT);
  });
  return () => latest;
}

/** Waits for the end of the process and for its output. Rejects when it could not be started. */
async function waitForEnd(child: Child) {
  // When it cannot be started, the other promise rejects.
  const closed = once(child, 'close').catch(() => undefined);
  await once(child, 'exit');
  await Promise.race([closed, pause(LAST_WORDS_MS, undefined, { ref: false })]);
  return { exitCode: child.exitCode, signal: child.signalCode };
}
