import { app } from 'electron';
import { type AppMessage, STOP_APP } from '../host/process/launcher-messages.ts';
import { listenForStopSignals } from '../host/process/stop-signals.ts';

/** The request that ends the app at once, whatever still runs. */
const AT_ONCE = 3;

/**
 * Ends the app as the program that started it asks, and, once it is ready, as signals ask: the first request quits in order, a second one
 * waits for nothing, a third ends the app at once. Electron would read one signal and swallow the next; a handler that is registered
 * before `ready` is overwritten by its own.
 */
export function handleStopRequests(): void {
  let times = 0;
  const stop = (): void => {
    times += 1;
    if (times >= AT_ONCE) app.exit(1);
    else if (app.isReady()) app.quit();
    // Electron would get ready all the same, and an engine would be started only to be killed.
    else app.exit();
  };
  process.on('message', (message) => {
    if (message === STOP_APP) stop();
  });
  // Without the program that started it, nobody can end the app from that terminal any more.
  process.once('disconnect', () => {
    if (times === 0) stop();
  });
  void app.whenReady().then(() => listenForStopSignals(stop));
  // A terminal that is gone takes no output.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Tells the program that started the app, if there is one, that the app runs, or that it ends as asked. */
export function notifyLauncher(message: AppMessage): void {
  // A program that has ended meanwhile needs not know.
  process.send?.(message, undefined, undefined, () => undefined);
}
