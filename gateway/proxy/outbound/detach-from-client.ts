import { ClientDisconnectedError } from '../../http/errors.ts';

/** How long the answer to an order is waited for when its caller does not wait any more. */
const TIMEOUT_MS = 10 * 60_000;

/** Until when an order is on its way. */
export interface DetachedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * An order that has left is not called back when its caller goes: it may be charged, so its answer is worth waiting for. It ends
 * when the gateway ends, or ten minutes after its caller went.
 */
export function detachFromClient(signal: AbortSignal, cutting: AbortSignal): DetachedSignal {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = (): void =>
    ending.abort(new ClientDisconnectedError('Nobody waits for the answer any more.'));
  const wait = (): void => {
    timer = setTimeout(end, TIMEOUT_MS);
  };
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait);
  if (cutting.aborted) end();
  else cutting.addEventListener('abort', end);
  return {
    signal: ending.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wait);
      cutting.removeEventListener('abort', end);
    },
  };
}
