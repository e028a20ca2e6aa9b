import { inspect } from 'node:util';

/**
 * Ends the process as Node.js does: with the listeners of `exit`, and with code 1 after an uncaught error. Electron skips the listeners
 * before it is ready, and shows such an error in a dialog.
 */
export function endAsNode(): void {
  const end = process.exit.bind(process);
  let isEnding = false;
  process.exit = (code) => {
    if (code !== undefined) process.exitCode = code;
    // The listener is removed first: one that fails, or ends the process itself, must not be called again.
    if (!isEnding) {
      isEnding = true;
      process.emit('exit', Number(process.exitCode ?? 0));
    }
    return end(process.exitCode);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
}

function fail(error: unknown): void {
  process.stderr.write(`${inspect(error)}\n`, () => process.exit(1));
}
