import { app, dialog } from 'electron';
import type { Log } from '../gateway/host.ts';
import { describeFault } from '../host/log/describe-fault.ts';
import { HIDDEN_ARGUMENT } from './autostart.ts';

/** Maximum length of one fault in the log in characters, because a repeated one must not fill it. */
const MAX_LOGGED_CHARS = 16_000;

export interface FaultOptions {
  readonly log: Log;
  /** Path of that log file, for people. */
  readonly logFile: string;
  /** Ends the app in order, or performs what ends it, once running exchanges have finished. */
  readonly quit: (end?: () => void) => void;
  /** Whether the app is ending already. */
  readonly isQuitting: () => boolean;
}

/**
 * Handles uncaught errors of the main process, which Electron would show unredacted. Each is logged, and a person is asked once whether
 * to restart the app. The engine and its exchanges are in another process and continue until then.
 */
export function watchFaults({ log, logFile, quit, isQuitting }: FaultOptions): void {
  let isReported = false;
  const report = (fault: unknown): void => {
    log('error', 'The app has an error.', {
      reason: describeFault(fault).slice(0, MAX_LOGGED_CHARS),
    });
    if (isReported || isQuitting()) return;
    isReported = true;
    void askPerson();
  };
  const askPerson = async (): Promise<void> => {
    if (await askWhetherToQuit(logFile)) quit(app.isPackaged ? restartApp : undefined);
  };
  process.on('uncaughtException', report);
  process.on('unhandledRejection', report);
}

/** An app started from its sources belongs to a terminal, which would not get it back. */
async function askWhetherToQuit(logFile: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'error',
    message: 'Gatehouse has an error',
    detail: `An error occurred in its windows or its tray, and they may no longer work. Your clients are still served. To fix it, ${
      app.isPackaged ? 'restart Gatehouse' : 'quit Gatehouse and start it again'
    }: requests in progress get up to a minute to finish. The reason is in ${logFile}.`,
    buttons: [app.isPackaged ? 'Restart' : 'Quit', 'Not now'],
    defaultId: 0,
    cancelId: 1,
  });
  return response === 0;
}

/** An AppImage runs from a mount that is removed with it. */
function restartApp(): void {
  const { APPIMAGE } = process.env;
  const args = process.argv.slice(1).filter((arg) => arg !== HIDDEN_ARGUMENT);
  app.relaunch({ args, ...(APPIMAGE === undefined ? {} : { execPath: APPIMAGE }) });
  app.exit();
}
