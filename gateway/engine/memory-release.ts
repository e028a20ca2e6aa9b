import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface MemoryReleaseOptions {
  /** Calls the listener when exchanges have ended. Returns the function that stops it. */
  readonly onExchanges: (listener: () => void) => () => void;
  /** Returns whether an exchange is in flight. */
  readonly isBusy: () => boolean;
  /** Time without the end of an exchange after which memory is released, in milliseconds. */
  readonly quietMs: number;
  readonly collect: () => void;
}

/**
 * Collects garbage once after the start, and once after each load: V8 keeps the space that a load needed for young objects until the next
 * collection, and without requests none comes. Returns the function that stops it.
 */
export function releaseMemoryWhenQuiet(options: MemoryReleaseOptions): () => void {
  const { onExchanges, isBusy, quietMs, collect } = options;
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  const schedule = () => {
    ended = false;
    timer = setTimeout(check, quietMs).unref();
  };
  const check = () => {
    timer = null;
    if (ended || isBusy()) schedule();
    else collect();
  };
  schedule();
  const stop = onExchanges(() => {
    ended = true;
    if (timer === null) schedule();
  });
  return () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}

/** Collects all garbage, which takes some 25 ms. Node offers this only with a flag of V8. */
export function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  if (typeof collect === 'function') collect();
}
