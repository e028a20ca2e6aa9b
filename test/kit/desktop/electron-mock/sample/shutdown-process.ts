import { app } from 'electron';
import { AppShutdown } from '../../../../../electron/shutdown.ts';

// Leaves the app, and fails as soon as it begins to.
process.on('uncaughtException', ({ message }) => console.log(message));
app.once('ready', () => {
  const shutdown = new AppShutdown(
    async () => console.log('closed'),
    () => {
      throw new Error('There is no tray.');
    },
  );
  shutdown.start(0);
});
