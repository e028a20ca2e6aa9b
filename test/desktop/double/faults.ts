import { dialog } from './dialog.ts';
import type { Control } from './letters.ts';
import { answers } from './test-side.ts';

// What nobody catches does not end Electron's main process: an error is shown as it is, and a rejection printed.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') > 1) return;
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(`${stack}\n`);
  dialog.showErrorBox('A JavaScript error occurred in the main process', stack);
});
process.on('unhandledRejection', (reason) => {
  if (process.listenerCount('unhandledRejection') === 1)
    process.stderr.write(`${String(reason)}\n`);
});

Object.assign(answers, {
  fault: ({ how, message }) => {
    setImmediate(() => {
      if (how === 'thrown') throw new Error(message);
      void Promise.reject(new Error(message));
    });
  },
} satisfies Partial<Control>);
