import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for everything in progress; it stops while nothing is. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // The clock may have been stopped.
  if (timer === undefined) now = Date.now();
  timer ??= setInterval(() => {
    now = Date.now();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

/** Returns the time in Unix milliseconds, updated every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
