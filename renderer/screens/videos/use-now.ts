import { useSyncExternalStore } from 'react';

const TICK_MS = 1_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for everything that goes on, which stands still when nothing does. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // It may have stood still.
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

/** The time in Unix milliseconds, kept true to the second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now);
}
