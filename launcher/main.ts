import { readCall } from './call.ts';

// The packed program is both the desktop app and the command line. A command loads nothing of Electron: it runs and ends before Electron
// looks for a display (electron_browser_main_parts.cc, PostEarlyInitialization waits for this module).
const call = readCall(process.argv);
if (call === null) {
  await import('../electron/main.ts');
} else {
  const { runCall } = await import('./command.ts');
  await runCall(call);
}
