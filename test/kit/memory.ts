import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Bytes of buffers that are really in use: what nobody holds any more is collected first. */
export function usedBytes(): number {
  collect();
  return process.memoryUsage().arrayBuffers;
}

/** Bytes of the heap that are really in use. */
export function usedHeapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

function collect(): void {
  setFlagsFromString('--expose-gc');
  const gc: unknown = runInNewContext('gc');
  if (typeof gc !== 'function') return;
  gc();
  // V8 frees the memory of buffers in another thread; the next collection waits for that.
  gc();
}
