import type { LiveEvent } from '../../shared/status.ts';
import type { RunningExchanges } from '../gateway.ts';

export interface LiveEventSource {
  /** Engine id, as in `Status`. */
  readonly engine: string;
  /** Returns the exchanges in progress. */
  running(this: void): RunningExchanges;
  /** Calls the listener for every event. Returns a function that removes it. */
  on(this: void, listener: (event: LiveEvent) => void): () => void;
}

/**
 * Streams events to a window until the signal aborts: `hello` first, then the exchanges in progress, then every change. For a
 * slow window, waiting events are merged into one of each kind: `history` with the sum, the others with the latest.
 */
export async function* streamLiveEvents(
  { engine, running, on }: LiveEventSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<LiveEvent, void, void> {
  const pending = new Map<string, LiveEvent>();
  let wake = Promise.withResolvers<void>();
  const stop = on((event) => {
    const key = event.kind === 'changed' ? event.topic : event.kind;
    const merged = mergeEvents(pending.get(key), event);
    // What waits is among the requests in progress: of both events the latter is read last, also when an earlier one is unread.
    if (key === 'holds') pending.delete(key);
    pending.set(key, merged);
    wake.resolve();
  });
  const end = () => wake.resolve();
  signal?.addEventListener('abort', end);
  try {
    yield { kind: 'hello', engine };
    // A new listener must see a long stream without waiting for the next change, and after a reconnect that one has ended.
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
