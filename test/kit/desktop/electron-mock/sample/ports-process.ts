import { join } from 'node:path';
import { app, BrowserWindow, ipcMain, protocol, session, utilityProcess } from 'electron';

// A window that may go nowhere, and a utility process that sends back what comes through the window's ports.
const PAGE = '<!doctype html><title>Ports</title><script src="page.js"></script>';

protocol.registerSchemesAsPrivileged([{ scheme: 'sample', privileges: { standard: true } }]);
app.once('ready', async () => {
  protocol.handle('sample', ({ url, headers }) => {
    if (url.endsWith('/page.js'))
      return new Response('', { headers: { 'content-type': 'text/javascript' } });
    if (url.endsWith('/range')) return new Response(headers.get('range'), { status: 206 });
    return new Response(PAGE, { headers: { 'content-type': 'text/html' } });
  });
  const echo = utilityProcess.fork(join(import.meta.dirname, 'echo-process.ts'));
  ipcMain.on('echo', ({ ports }) => echo.postMessage('port', ports));
  ipcMain.on('refused', ({ ports: [port] }) => port?.close());
  ipcMain.handle('sum', (_event, a: number, b: number) => a + b);
  const window = new BrowserWindow({
    webPreferences: { preload: join(import.meta.dirname, 'preload.cjs') },
  });
  window.webContents.setWindowOpenHandler(({ url }) => {
    console.log(`It would open ${url}`);
    return { action: 'deny' };
  });
  window.webContents.on('will-navigate', (event, url) => {
    console.log(`It would go to ${url}`);
    event.preventDefault();
  });
  session.defaultSession.on('will-download', (_event, item) => {
    item.setSaveDialogOptions({ defaultPath: item.getFilename() });
    item.on('done', (_done, state) => console.log(`${item.getURL().slice(0, 18)} is ${state}`));
  });
  window.webContents.on('render-process-gone', (_event, { reason }) => console.log(reason));
  await window.loadURL('sample://here/');
  window.webContents.send('hello', 'from main');
});
