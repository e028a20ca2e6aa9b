import type { IncomingMessage } from 'node:http';

/** Number of checks within the idle timeout: every second for 30 seconds. */
const CHECKS_PER_PERIOD = 30;

type Sender = Pick<IncomingMessage, 'complete' | 'isPaused'> & {
  readonly socket: { readonly bytesRead: number };
};

/**
 * Calls `onIdle` when no byte of the request came for `idleMs` while we were ready to read, at most a thirtieth of that later.
 * Checks are counted and not the time, because after a halt of this process the bytes that came meanwhile are read only after the
 * next check.
 */
export function watchSender(request: Sender, idleMs: number, onIdle: () => void): { stop(): void } {
  let bytesBefore = request.socket.bytesRead;
  let silentChecks = 0;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    const now = request.socket.bytesRead;
    silentChecks = now === bytesBefore && !request.isPaused() ? silentChecks + 1 : 0;
    bytesBefore = now;
    if (silentChecks < CHECKS_PER_PERIOD) return;
    clearInterval(timer);
    onIdle();
  }, idleMs / CHECKS_PER_PERIOD);
  return { stop: () => clearInterval(timer) };
}
