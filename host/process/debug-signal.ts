/**
 * Keeps SIGUSR1 from opening Node's debugger, through which every program of this user could read the service key. A listener of
 * any kind takes the place of the one that Node brings (Node.js documentation, "Signal events").
 */
export function ignoreDebugSignal(): void {
  process.on('SIGUSR1', () => undefined);
}
