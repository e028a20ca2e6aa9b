import { dialog } from './system/dialog.ts';
import type { Control } from './transport/messages.ts';
import { answers } from './test-side.ts';

/** Does what Electron does about that which nobody catches in the main process: an error is shown as it is, a rejection printed. */
export function showFaults(): void {
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
}

Object.assign(answers, {
  fault: ({ how, message }) => {
    setImmediate(() => {
      if (how === 'thrown') throw new Error(message);
      void Promise.reject(new Error(message));
    });
  },
} satisfies Partial<Control>);
