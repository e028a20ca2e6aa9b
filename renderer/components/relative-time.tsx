import { Tooltip } from '@mantine/core';
import { useSyncExternalStore } from 'react';
import { formatRelativeTime, formatTimestamp } from '../format/format.ts';

const TICK_MS = 5_000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times on screen; it stops while there are none. */
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

/** Shows how long ago something was, updated, with the exact time in a tooltip. `at` in Unix milliseconds. */
export function RelativeTime({ at }: { readonly at: number }) {
  const shown = useSyncExternalStore(subscribe, () => Math.max(now, at));
  return (
    <Tooltip label={formatTimestamp(at)}>
      {/* Passing time is not announced: live regions around it stay silent. */}
      <time dateTime={new Date(at).toISOString()} aria-live="off">
        {formatRelativeTime(at, shown)}
      </time>
    </Tooltip>
  );
}
