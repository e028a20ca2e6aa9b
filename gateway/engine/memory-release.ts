import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** When the gateway is busy. */
export interface Activity {
  /** Calls the listener when exchanges have ended. Returns the function that stops it. */
  readonly onExchanges: (listener: () => void) => () => void;
  /** Returns whether an exchange is in flight. */
  readonly isBusy: () => boolean;
}

/** When and how memory is released. */
export interface MemoryRelease {
  /** Milliseconds after the start at which memory is released, unless exchanges have ended or are in flight. */
  readonly startMs: number;
  /** After a load, memory is released when no exchange has ended for so many milliseconds, or for up to twice as many. */
  readonly quietMs: number;
  /** Is called while there are exchanges, and then not before memory is released. */
  readonly hold: () => void;
  readonly release: () => void;
}

/** Releases memory once after the start, and once after each load. Returns the function that stops it. */
export function releaseMemoryWhenQuiet(
  { onExchanges, isBusy }: Activity,
  { startMs, quietMs, hold, release }: MemoryRelease = MEMORY_RELEASE,
): () => void {
  let timer: NodeJS.Timeout | null = null;
  let ended = false;
  const schedule = (ms: number) => {
    ended = false;
    timer = setTimeout(check, ms).unref();
  };
  const check = () => {
    timer = null;
    if (ended || isBusy()) wait();
    else release();
  };
  const wait = () => {
    hold();
    schedule(quietMs);
  };
  schedule(startMs);
  const stop = onExchanges(() => {
    ended = true;
    if (timer === null) wait();
  });
  return () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}

/**
 * Turns off the collections that V8 itself makes in a process that does little. Each removes the hidden classes that no object has at that
 * moment, and with these the code compiled for them, so that the next requests take half as much processor time again.
 */
function holdMemory(): void {
  setFlagsFromString('--memory-reducer-gc-count=0');
}

/**
 * Collects all garbage and gives the space to the system, which takes 0.1 to 0.2 s, and turns V8's own collections on again. Without
 * requests no collection would come, and V8 keeps the space that a load needed. Node offers this only with flags of V8.
 */
export function releaseMemory(): void {
  setFlagsFromString(`--memory-reducer-gc-count=${DEFAULT_COUNT}`);
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  // After an ordinary collection V8 keeps the pages that became free.
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
}

/** That of V8. */
const DEFAULT_COUNT = 2;

const MEMORY_RELEASE: MemoryRelease = {
  startMs: 10_000,
  quietMs: 20_000,
  hold: holdMemory,
  release: releaseMemory,
};
