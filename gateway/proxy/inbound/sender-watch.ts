import type { IncomingMessage } from 'node:http';

/** How often a sender is looked at until its time is over: of a limit of 30 seconds, every second. */
const CHECKS_PER_PERIOD = 30;

type Sender = Pick<IncomingMessage, 'complete' | 'isPaused'> & {
  readonly socket: { readonly bytesRead: number };
};

/**
 * Calls `onIdle` once no byte of the request came for `idleMs` while we were ready to take it, and at most a thirtieth of that later.
 * Looks are counted, not time: after a halt of this whole process, what came meanwhile is read only after the next look.
 */
export function watchSender(request: Sender, idleMs: number, onIdle: () => void): { stop(): void } {
  let seen = request.socket.bytesRead;
  let silentLooks = 0;
  const timer = setInterval(() => {
    if (request.complete) return clearInterval(timer);
    const now = request.socket.bytesRead;
    silentLooks = now === seen && !request.isPaused() ? silentLooks + 1 : 0;
    seen = now;
    if (silentLooks < CHECKS_PER_PERIOD) return;
    clearInterval(timer);
    onIdle();
  }, idleMs / CHECKS_PER_PERIOD);
  return { stop: () => clearInterval(timer) };
}
