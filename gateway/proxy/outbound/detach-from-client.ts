import type { CancelSignal } from '../../http/cancel-signal.ts';
import { ClientDisconnectedError } from '../../http/errors.ts';

/** Timeout for the answer to an order whose client has left. */
const TIMEOUT_MS = 10 * 60_000;

/** A signal that ends the wait for the answer to an order. Dispose it when the answer has come. */
export interface DetachedSignal extends Disposable {
  readonly signal: AbortSignal;
}

/**
 * Returns a signal for an order that has been sent. It may be charged, so its answer is awaited although the client has left: the
 * signal is aborted ten minutes after `signal`, and at once with `shutdown`.
 */
export function detachFromClient(signal: CancelSignal, shutdown: AbortSignal): DetachedSignal {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const end = (): void =>
    ending.abort(new ClientDisconnectedError('Nobody is waiting for the response any more.'));
  const wait = (): void => {
    timer = setTimeout(end, TIMEOUT_MS);
  };
  if (signal.aborted) wait();
  else signal.addEventListener('abort', wait);
  if (shutdown.aborted) end();
  else shutdown.addEventListener('abort', end);
  return {
    signal: ending.signal,
    [Symbol.dispose]: () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wait);
      shutdown.removeEventListener('abort', end);
    },
  };
}
