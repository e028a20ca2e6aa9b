import { inspect } from 'node:util';

/**
 * Ends the process as Node.js does: with the listeners of `exit`, and with code 1 after an error that nobody caught. Electron leaves
 * out the listeners before it is ready, and shows such an error in a box.
 */
export function endAsNode(): void {
  const end = process.exit.bind(process);
  process.exit = (code) => {
    process.emit('exit', Number(code ?? process.exitCode ?? 0));
    return end(code);
  };
  process.on('uncaughtException', fail);
  process.on('unhandledRejection', fail);
}

function fail(error: unknown): void {
  process.stderr.write(`${inspect(error)}\n`, () => process.exit(1));
}
