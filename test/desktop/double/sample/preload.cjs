const { contextBridge, ipcRenderer } = require('electron');

window.addEventListener('message', ({ data, ports }) => {
  if (ports.length > 0) ipcRenderer.postMessage(data, null, [...ports]);
});
ipcRenderer.on('hello', (_event, words) => document.body.setAttribute('data-said', words));
void ipcRenderer.invoke('sum', 2, 3).then((sum) => document.body.setAttribute('data-sum', sum));
contextBridge.exposeInMainWorld('sample', { sandboxed: process.sandboxed });
