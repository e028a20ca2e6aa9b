import type { LiveEvent } from '../../shared/status.ts';
import type { RunningExchanges } from '../gateway.ts';

export interface LiveEventSource {
  /** As in `Status`. */
  readonly engine: string;
  /** What is on its way now. */
  running(this: void): RunningExchanges;
  /** Calls the listener for every event. Returns what stops it. */
  on(this: void, listener: (event: LiveEvent) => void): () => void;
}

/**
 * What a window hears: `hello` first, then what is on its way now, and from then on everything, until the signal aborts. A
 * slow window is not flooded: of what waits for it there is one event of each kind, for `history` with the sum, for the others the
 * latest.
 */
export async function* streamLiveEvents(
  { engine, running, on }: LiveEventSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<LiveEvent, void, void> {
  const pending = new Map<string, LiveEvent>();
  let wake = Promise.withResolvers<void>();
  const stop = on((event) => {
    const key = event.kind === 'changed' ? event.what : event.kind;
    pending.set(key, mergeEvents(pending.get(key), event));
    wake.resolve();
  });
  const end = () => wake.resolve();
  signal?.addEventListener('abort', end);
  try {
    yield { kind: 'hello', engine };
    // Whoever begins to listen must not wait for the next change to see a long stream, or after a break that one has ended.
    const { exchanges, total } = running();
    pending.set('running', { kind: 'running', exchanges: [...exchanges], total });
    for (;;) {
      if (signal?.aborted === true) return;
      const [next] = pending;
      if (next === undefined) {
        await wake.promise;
        wake = Promise.withResolvers<void>();
      } else {
        pending.delete(next[0]);
        yield next[1];
      }
    }
  } finally {
    signal?.removeEventListener('abort', end);
    stop();
  }
}

function mergeEvents(before: LiveEvent | undefined, event: LiveEvent): LiveEvent {
  return before?.kind === 'history' && event.kind === 'history'
    ? { ...event, written: before.written + event.written }
    : event;
}
