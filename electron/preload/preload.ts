import { contextBridge, ipcRenderer } from 'electron';

// Hands ports of the page to the main process and tells the page what happens there. Nothing else crosses.
const PORTS: ReadonlySet<unknown> = new Set(['gatehouse:engine', 'gatehouse:desktop']);

window.addEventListener('message', ({ source, data, ports }) => {
  if (source === window && PORTS.has(data)) ipcRenderer.postMessage(data, null, [...ports]);
});

for (const channel of ['gatehouse:engine-runs', 'gatehouse:go', 'gatehouse:quick']) {
  ipcRenderer.on(channel, (_event, value: unknown) => {
    window.postMessage({ channel, value }, location.origin);
  });
}

contextBridge.exposeInMainWorld('gatehouse', { platform: process.platform });
