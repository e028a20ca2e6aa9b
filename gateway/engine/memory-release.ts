import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** When the gateway is busy. */
export interface Activity {
  /** Calls the listener with the number of exchanges that have ended. Returns the function that stops it. */
  readonly onExchanges: (listener: (count: number) => void) => () => void;
  /** Returns whether an exchange is in flight. */
  readonly isBusy: () => boolean;
}

/** When and how memory is released. */
export interface MemoryRelease {
  /** Milliseconds after the start at which memory is released, unless the gateway is busy. */
  readonly startMs: number;
  /** After a load, memory is released when the gateway was quiet for so many milliseconds, or for up to twice as many. */
  readonly quietMs: number;
  readonly release: () => void;
}

/**
 * Releases memory once after the start, and once after each load; in between V8 keeps compiled code for longer. Returns the function that
 * stops it.
 */
export function releaseMemoryWhenQuiet(
  { onExchanges, isBusy }: Activity,
  { startMs, quietMs, release }: MemoryRelease = MEMORY_RELEASE,
): () => void {
  let timer: NodeJS.Timeout | null = null;
  let ended = 0;
  const schedule = (ms: number) => {
    ended = 0;
    timer = setTimeout(check, ms).unref();
  };
  const check = () => {
    timer = null;
    if (ended > FEW || isBusy()) schedule(quietMs);
    else release();
  };
  delayCollections();
  schedule(startMs);
  const stop = onExchanges((count) => {
    if (timer === null) schedule(quietMs);
    ended += count;
  });
  return () => {
    stop();
    if (timer !== null) clearTimeout(timer);
  };
}

/** The gateway is quiet when no more exchanges ended than these, such as status checks of a video, and none is in flight. */
const FEW = 20;

/**
 * Delays the collections that V8 itself makes in a process that does little, from 8 s to 30. Each removes the hidden classes that no
 * object has at that moment, and with these the code compiled for them, so that the next requests take half as much processor time again.
 * Their number must not be lowered instead (`--memory-reducer-gc-count`): V8 ends the process when more have begun than are allowed.
 */
function delayCollections(): void {
  setFlagsFromString('--gc-memory-reducer-start-delay-ms=30000');
}

/**
 * Collects all garbage when much can be given back to the system, which takes 0.1 to 0.2 s: V8 keeps the space that a load needed until
 * the next collection, and without requests none comes for long. Node offers this only with flags of V8.
 */
export function releaseMemory(): void {
  if (readSize() - sizeAfterRelease < MIN_GAIN) return;
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('globalThis.gc');
  // After an ordinary collection V8 keeps the pages that became free.
  if (typeof collect === 'function') collect({ type: 'major', flavor: 'last-resort' });
  sizeAfterRelease = readSize();
}

/** Bytes by which the memory must have grown since the last release. */
const MIN_GAIN = 24 * 1024 * 1024;
let sizeAfterRelease = 0;

/** Returns the bytes that V8 has from the system, and those of buffers. */
function readSize(): number {
  const { total_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

const MEMORY_RELEASE: MemoryRelease = {
  startMs: 10_000,
  quietMs: 20_000,
  release: releaseMemory,
};
