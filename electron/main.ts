import { app } from 'electron';
import { Desktop } from './desktop.ts';
import { registerPageScheme } from './page-protocol.ts';
import { useDataFolder } from './profile.ts';

// Until the app is ready, everything here must be done at once.
registerPageScheme();
app.enableSandbox();
// As its packages are called: Windows shows notices of programs that it knows.
if (process.platform === 'win32') app.setAppUserModelId('dev.gatehouse.app');
const dataDir = await useDataFolder();
if (app.requestSingleInstanceLock()) {
  await app.whenReady();
  new Desktop(dataDir).open();
} else {
  // The one that runs shows its window.
  app.quit();
}
