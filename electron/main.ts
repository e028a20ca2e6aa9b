import { app, dialog } from 'electron';
import { removeKeyVariables } from '../host/process/child-process.ts';
import { ignoreDebugSignal } from '../host/process/debug-signal.ts';
import { APP_LEAVES, APP_STARTED } from '../host/process/launcher-messages.ts';
import { APP_ID } from './app-id.ts';
import { Desktop } from './desktop.ts';
import { registerPageScheme } from './page/page-protocol.ts';
import { setUserDataFolder } from './user-data.ts';
import { handleStopRequests, notifyLauncher } from './stop-requests.ts';

const CANNOT_START = 'Gatehouse cannot start';

ignoreDebugSignal();
handleStopRequests();
// The app uses none of them, and everything that it starts would inherit them.
removeKeyVariables(process.env);
// All of this comes before the app is ready.
registerPageScheme();
// Where a start script could not have the sandbox, switching it on half way would be neither.
if (!app.commandLine.hasSwitch('no-sandbox')) app.enableSandbox();
// Windows shows notices of programs that it knows.
if (process.platform === 'win32') app.setAppUserModelId(APP_ID);
try {
  const dataDir = await setUserDataFolder();
  if (app.requestSingleInstanceLock()) {
    app.once('browser-window-created', (_event, { webContents }) =>
      webContents.once('did-finish-load', () => notifyLauncher(APP_STARTED)),
    );
    onceReady(() => new Desktop(dataDir).open());
  } else {
    // The one that runs shows its window.
    notifyLauncher(APP_LEAVES);
    app.quit();
  }
} catch (error) {
  onceReady(() => {
    throw error;
  });
}

/**
 * Calls `act` once the app is ready, which is never awaited here: the app gets ready only after this module has run to its end. An error is
 * told in a box and on standard error, for a terminal, and ends the app.
 */
function onceReady(act: () => void): void {
  app
    .whenReady()
    .then(act)
    .catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      // The box waits for a person.
      process.stderr.write(`${CANNOT_START}: ${reason}\n`);
      dialog.showErrorBox(CANNOT_START, reason);
      app.exit(1);
    });
}
