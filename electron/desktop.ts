import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { app, ipcMain } from 'electron';
import { openPageFiles } from '../gateway/api/api.ts';
import { openLog } from '../hosting/log.ts';
import { openLogFile } from '../hosting/log-file.ts';
import type { EnginePlan } from './engine-contract.ts';
import { EngineProcess } from './engine-process.ts';
import { openNative } from './native.ts';
import { servePage } from './page-protocol.ts';
import { isPage } from './sender.ts';
import { MainWindow } from './window.ts';

/** Wires the parts of the app and starts them. */
export async function openDesktop(dataDir: string): Promise<void> {
  const native = openNative();
  servePage(openPageFiles({ dir: join(import.meta.dirname, '..', 'ui'), randomBytes }), native);
  const writeLog = openLogFile(join(dataDir, 'logs', 'engine.log'));
  const window = new MainWindow();
  const engine = new EngineProcess({
    program: join(import.meta.dirname, 'engine.js'),
    plan: { dataDir, version: app.getVersion(), ...portOf(process.env['GATEHOUSE_PORT']) },
    serveNative: native.serve,
    log: openLog({
      level: 'info',
      write: (line) => writeLog(`${line}\n`),
      redact: String,
      now: Date.now,
    }),
    writeLog,
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

function portOf(text: string | undefined): Pick<EnginePlan, 'port' | 'portPinned'> {
  return text === undefined || text === ''
    ? {}
    : {
        port: Number(text),
        portPinned: 'This run was told its port by GATEHOUSE_PORT, so it cannot be changed here.',
      };
}
