import { app, dialog } from 'electron';
import type { Log } from '../gateway/host.ts';
import { describeFault } from '../host/log/describe-fault.ts';
import { HIDDEN_ARGUMENT } from './autostart.ts';

/** Maximum length of one fault in the log in characters, because a repeated one must not fill it. */
const MOST_WRITTEN = 16_000;

export interface FaultOptions {
  readonly log: Log;
  /** Path of that log file, for people. */
  readonly logFile: string;
  /** Ends the app in order, or performs what ends it, once running exchanges have finished. */
  readonly leave: (end?: () => void) => void;
  /** Whether the app is ending already. */
  readonly isLeaving: () => boolean;
}

/**
 * Handles uncaught errors of the main process, which Electron would show unredacted. Each is logged, and a person is asked once whether
 * to restart the app. The engine and its exchanges are in another process and continue until then.
 */
export function watchFaults({ log, logFile, leave, isLeaving }: FaultOptions): void {
  let isTold = false;
  const take = (fault: unknown): void => {
    log('error', 'The app has a fault.', { reason: describeFault(fault).slice(0, MOST_WRITTEN) });
    if (isTold || isLeaving()) return;
    isTold = true;
    void askPerson();
  };
  const askPerson = async (): Promise<void> => {
    if (await wantsToLeave(logFile)) leave(app.isPackaged ? startAgain : undefined);
  };
  process.on('uncaughtException', take);
  process.on('unhandledRejection', take);
}

/** An app started from its sources belongs to a terminal, which would not get it back. */
async function wantsToLeave(logFile: string): Promise<boolean> {
  const { response } = await dialog.showMessageBox({
    type: 'error',
    message: 'Gatehouse has a fault',
    detail: `Something in its windows or its tray went wrong, and they may not work any more. Your clients are served as before. To mend it, ${
      app.isPackaged ? 'restart Gatehouse' : 'quit Gatehouse and start it again'
    }: running requests end first, for up to a minute. The reason is in ${logFile}.`,
    buttons: [app.isPackaged ? 'Restart' : 'Quit', 'Not now'],
    defaultId: 0,
    cancelId: 1,
  });
  return response === 0;
}

/** An AppImage runs from a mount that is removed with it. */
function startAgain(): void {
  const { APPIMAGE } = process.env;
  const args = process.argv.slice(1).filter((arg) => arg !== HIDDEN_ARGUMENT);
  app.relaunch({ args, ...(APPIMAGE === undefined ? {} : { execPath: APPIMAGE }) });
  app.exit();
}
