import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { app, ipcMain } from 'electron';
import { openPageFiles } from '../gateway/api/api.ts';
import { EngineProcess } from './engine-process.ts';
import { MediaFiles } from './media-files.ts';
import { nativeServer } from './native.ts';
import { servePage } from './page-protocol.ts';
import { isPage } from './sender.ts';
import { MainWindow } from './window.ts';

/** Wires the parts of the app and starts them. */
export async function openDesktop(dataDir: string): Promise<void> {
  const media = new MediaFiles();
  servePage(openPageFiles({ dir: join(import.meta.dirname, '..', 'ui'), randomBytes }), media);
  const window = new MainWindow();
  const engine = new EngineProcess({
    program: join(import.meta.dirname, 'engine.js'),
    plan: { dataDir, version: app.getVersion(), ...portOf(process.env['GATEHOUSE_PORT']) },
    serveNative: nativeServer(media),
    writeLog: (chunk) => void process.stderr.write(chunk),
    onState: (state) => {
      if (state.name === 'running') window.current?.webContents.send('gatehouse:engine-runs');
    },
  });
  ipcMain.on('gatehouse:engine', (event) => {
    const [port] = event.ports;
    if (port !== undefined && isPage(event.senderFrame)) engine.connect(port);
  });
  app.on('second-instance', () => window.show());
  app.on('window-all-closed', () => undefined);
  engine.start();
  window.show();
}

function portOf(text: string | undefined): { readonly port?: number } {
  return text === undefined || text === '' ? {} : { port: Number(text) };
}
