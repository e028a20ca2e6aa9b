import { app } from 'electron';
import { Departure } from '../../../../electron/departure.ts';

// Leaves the app, and fails as soon as it begins to.
process.on('uncaughtException', ({ message }) => console.log(message));
app.once('ready', () => {
  const departure = new Departure(
    async () => console.log('closed'),
    () => {
      throw new Error('There is no tray.');
    },
  );
  departure.begin(0);
});
