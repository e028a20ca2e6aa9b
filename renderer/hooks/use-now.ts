import { useSyncExternalStore } from 'react';

/** Creates a hook that returns the time in Unix milliseconds. Its components share one clock, which stops while there are none. */
function createClock(tickMs: number): () => number {
  const listeners = new Set<() => void>();
  let now = Date.now();
  let timer: ReturnType<typeof setInterval> | undefined;
  const subscribe = (listener: () => void): (() => void) => {
    listeners.add(listener);
    // The clock may have been stopped.
    if (timer === undefined) now = Date.now();
    timer ??= setInterval(() => {
      now = Date.now();
      for (const each of listeners) each();
    }, tickMs);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
  return () => useSyncExternalStore(subscribe, () => now);
}

/** Returns the time in Unix milliseconds, updated every second. */
export const useNow = createClock(1_000);

/** Returns the time in Unix milliseconds, updated every five seconds. */
export const useSlowNow = createClock(5_000);
