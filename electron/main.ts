import { app, dialog } from 'electron';
import { removeKeyVariables } from '../host/process/child-process.ts';
import { ignoreDebugSignal } from '../host/process/debug-signal.ts';
import { APP_LEAVES, APP_STARTED } from '../host/process/launcher-messages.ts';
import { APP_ID } from './app-id.ts';
import { Desktop } from './desktop.ts';
import { registerPageScheme } from './page/page-protocol.ts';
import { setUserDataFolder } from './environment.ts';
import { handleStopRequests, notifyLauncher } from './stop-requests.ts';

const CANNOT_START = 'Gatehouse cannot start';

ignoreDebugSignal();
handleStopRequests();
// The app uses none of these variables, and every process that it starts would inherit them.
removeKeyVariables(process.env);
// All of this has to happen before the app is ready.
registerPageScheme();
// Where the start script could not set up the sandbox, enabling it partly would fail.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
// Windows shows notifications of registered programs only.
if (process.platform === 'win32') app.setAppUserModelId(APP_ID);
try {
  const dataDir = await setUserDataFolder();
  if (app.requestSingleInstanceLock()) {
    app.once('browser-window-created', (_event, { webContents }) =>
      webContents.once('did-finish-load', () => notifyLauncher(APP_STARTED)),
    );
    onceReady(() => new Desktop(dataDir).open());
  } else {
    // The running app shows its window.
    notifyLauncher(APP_LEAVES);
    app.quit();
  }
} catch (error) {
  onceReady(() => {
    throw error;
  });
}

/**
 * Calls `start` once the app is ready. This is not awaited here, because the app becomes ready only after this module has been evaluated.
 * An error is shown in a dialog and on standard error, and ends the app.
 */
function onceReady(start: () => void): void {
  app
    .whenReady()
    .then(start)
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      // The dialog waits for a person.
      process.stderr.write(`${CANNOT_START}: ${reason}\n`);
      dialog.showErrorBox(CANNOT_START, reason);
      app.exit(1);
    });
}
