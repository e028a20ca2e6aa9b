const { contextBridge, ipcRenderer } = require('electron');

window.addEventListener('message', ({ data, ports }) => {
  if (ports.length > 0) ipcRenderer.postMessage(data, null, [...ports]);
});
ipcRenderer.on('hello', (_event, words) => document.body.setAttribute('data-said', words));
window.addEventListener('DOMContentLoaded', async () => {
  document.body.setAttribute('data-sum', await ipcRenderer.invoke('sum', 2, 3));
});
contextBridge.exposeInMainWorld('sample', { sandboxed: process.sandboxed });
