/**
 * Makes this process end as Electron's main process does before it is ready: `process.exit` skips the listeners of `exit`, a rejection
 * that nobody catches is a warning, and such an error shows a box and ends nothing (lib/browser/init.ts; browser.cc, ExitWithCode).
 */
export function behaveAsElectron(): void {
  const end = process.exit.bind(process);
  process.exit = (code) => {
    process.removeAllListeners('exit');
    return end(code ?? process.exitCode ?? 0);
  };
  process.on('uncaughtException', () => {
    if (process.listenerCount('uncaughtException') === 1) process.stderr.write('A box is shown.\n');
  });
  process.on('unhandledRejection', () => {
    if (process.listenerCount('unhandledRejection') === 1) process.stderr.write('A warning.\n');
  });
}
