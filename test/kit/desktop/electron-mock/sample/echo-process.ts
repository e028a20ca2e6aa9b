// Sends back what comes through each port, and says when one has closed.
process.parentPort.on('message', ({ ports: [port] }) => {
  port?.on('message', ({ data }) => port.postMessage(data));
  port?.on('close', () => console.log('A port closed.'));
  port?.start();
});
