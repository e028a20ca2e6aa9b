import { app } from 'electron';
import { Desktop } from './desktop.ts';
import { registerPageScheme } from './page-protocol.ts';
import { useDataFolder } from './profile.ts';

// Until the app is ready, everything here must be done at once.
registerPageScheme();
app.enableSandbox();
const dataDir = await useDataFolder();
if (app.requestSingleInstanceLock()) {
  await app.whenReady();
  new Desktop(dataDir).open();
} else {
  // The one that runs shows its window.
  app.quit();
}
