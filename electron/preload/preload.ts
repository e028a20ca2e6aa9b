import { contextBridge, ipcRenderer } from 'electron';

// This script transfers ports of the page to the main process and forwards its events to the page, and nothing else.
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
