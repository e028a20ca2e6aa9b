import { app } from 'electron';

// This sample has one signal handler from before `ready`, and on request one from after it; it prints which of them is called, and each
// request to quit.
process.on('SIGINT', () => console.log('early'));
app.on('before-quit', (event) => {
  event.preventDefault();
  console.log('quit');
});
app.once('ready', () => {
  if (process.argv.includes('--own')) process.on('SIGINT', () => console.log('own'));
  if (process.argv.includes('--exit')) {
    app.on('quit', () => console.log('quits'));
    app.exit(7);
    console.log('goes on');
  }
  console.log('ready');
});
