import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the bytes of buffers in use after a garbage collection. */
export function usedBytes(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

/** Returns the bytes of the heap in use after a garbage collection. */
export function usedHeapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Collects garbage now. */
export function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc !== 'function') return;
  gc();
  // V8 frees the memory of buffers in another thread; the next collection waits for that.
  gc();
}
