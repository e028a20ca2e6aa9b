import { app } from 'electron';
import { type AppMessage, STOP_APP } from '../host/process/launcher-messages.ts';
import { listenForStopSignals } from '../host/process/stop-signals.ts';

/** The request that ends the app immediately. */
const AT_ONCE = 3;

/**
 * Ends the app on requests of the program that started it and, once it is ready, on signals: the first request quits in order, a second
 * one does not wait, a third ends the app immediately. Electron would handle one signal and ignore the next; a handler that is
 * registered before `ready` is replaced by its own.
 */
export function handleStopRequests(): void {
  let times = 0;
  const stop = (): void => {
    times += 1;
    if (times >= AT_ONCE) app.exit(1);
    else if (app.isReady()) app.quit();
    // Electron would become ready all the same, and an engine would be started only to be killed.
    else app.exit();
  };
  process.on('message', (message) => {
    if (message === STOP_APP) stop();
  });
  // Without the program that started it, the app cannot be ended from that terminal any more.
  process.once('disconnect', () => {
    if (times === 0) stop();
  });
  void app.whenReady().then(() => listenForStopSignals(stop));
  // Writing to a closed terminal fails.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}

/** Tells the program that started the app, if there is one, that the app runs, or that it ends on request. */
export function notifyLauncher(message: AppMessage): void {
  // A program that has ended meanwhile needs no message.
  process.send?.(message, undefined, undefined, () => undefined);
}
