/**
 * Keeps SIGUSR1 from opening Node's debugger, through which every program of this user could read the service key. Any listener replaces
 * the default one of Node (Node.js documentation, "Signal events").
 */
export function ignoreDebugSignal(): void {
  process.on('SIGUSR1', () => undefined);
}
