import { app, powerMonitor } from 'electron';
import { Notices } from '../../../../../electron/notices.ts';

// This sample shows three notifications at the start and a thousand at once after a sleep, and prints the paths of clicks and the errors.
app.once('ready', () => {
  const notices = new Notices({
    isSeen: () => false,
    open: (address) => console.log(address),
    onFailure: (failure) => console.log(failure),
  });
  const tell = (count: number): void =>
    notices.notify(
      Array.from({ length: count }, (_each, at) => ({
        title: `Notice ${at + 1} of ${count}`,
        body: '',
        address: `/opened-${at + 1}-of-${count}`,
      })),
    );
  powerMonitor.on('resume', () => tell(1_000));
  tell(3);
});
