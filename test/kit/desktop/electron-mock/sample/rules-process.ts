import {
  app,
  BrowserWindow,
  ipcMain,
  Menu,
  MessageChannelMain,
  protocol,
  shell,
  Tray,
  utilityProcess,
} from 'electron';

// Does what Electron refuses, once each, and prints what was said to it.
const errors: Record<string, unknown> = {};

function attempt(what: string, act: () => unknown): void {
  try {
    act();
    errors[what] = 'nothing';
  } catch (error) {
    errors[what] = error instanceof Error ? error.message : error;
  }
}

const schemes = [{ scheme: 'app' }];

attempt('a tray before ready', () => new Tray('icon.png'));
attempt('a window before ready', () => new BrowserWindow());
attempt('a process before ready', () => utilityProcess.fork('none.js'));
attempt('a handler of a scheme before ready', () => protocol.handle('app', () => new Response()));
attempt('privileges', () => protocol.registerSchemesAsPrivileged(schemes));
attempt('privileges again', () => protocol.registerSchemesAsPrivileged(schemes));
app.once('ready', () => {
  attempt('a sandbox after ready', () => app.enableSandbox());
  attempt('a handler', () => ipcMain.handle('call', () => null));
  attempt('a second handler', () => ipcMain.handle('call', () => null));
  attempt('a member that is not mocked', () => shell.beep());
  attempt('a static member that is not mocked', () => Menu.getApplicationMenu());
  attempt('an event that is not mocked', () => app.on('gpu-info-update', () => undefined));
  const { port1, port2 } = new MessageChannelMain();
  attempt('a port in its own message', () => port1.postMessage('itself', [port1]));
  attempt('a port', () => port1.postMessage('another', [port2]));
  attempt('a port that went', () => port1.postMessage('again', [port2]));
  errors['a name'] = app.name;
  const window = new BrowserWindow({ show: false });
  window.show();
  errors['a focus as soon as it is asked for'] = window.isFocused();
  window.destroy();
  attempt('a window that is gone', () => window.show());
  errors['a pid before it is spawned'] = String(
    utilityProcess.fork('none.js', [], { stdio: 'ignore' }).pid,
  );
  console.log(JSON.stringify(errors));
  app.quit();
});
