import type { LiveEvent } from '../../shared/status.ts';
import type { RunningExchanges } from '../gateway.ts';

export interface LiveSource {
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
export async function* liveEvents(
  { engine, running, on }: LiveSource,
  signal: AbortSignal | undefined,
): AsyncGenerator<LiveEvent, void, void> {
  const waiting = new Map<string, LiveEvent>();
  let wake = Promise.withResolvers<void>();
  const stop = on((event) => {
    const key = event.kind === 'changed' ? event.what : event.kind;
    waiting.set(key, joined(waiting.get(key), event));
    wake.resolve();
  });
  const end = () => wake.resolve();
  signal?.addEventListener('abort', end);
  try {
    yield { kind: 'hello', engine };
    // Whoever begins to listen must not wait for the next change to see a long stream, or after a break that one has ended.
    const { exchanges, total } = running();
    waiting.set('running', { kind: 'running', exchanges: [...exchanges], total });
    for (;;) {
      if (signal?.aborted === true) return;
      const [next] = waiting;
      if (next === undefined) {
        await wake.promise;
        wake = Promise.withResolvers<void>();
      } else {
        waiting.delete(next[0]);
        yield next[1];
      }
    }
  } finally {
    signal?.removeEventListener('abort', end);
    stop();
  }
}

function joined(before: LiveEvent | undefined, event: LiveEvent): LiveEvent {
  return before?.kind === 'history' && event.kind === 'history'
    ? { ...event, written: before.written + event.written }
    : event;
}
