import { GrowingBuffer } from '../lib/growing-buffer.ts';
import type { MemoryAllocator } from '../lib/memory-budget.ts';

const MAX_BYTES = 8 * 1024 * 1024;

/** Buffers a passing body up to 8 MiB, as long as memory allows; drops a larger one. */
export class BoundedBuffer {
  #bytes: GrowingBuffer | null;

  constructor(memory: MemoryAllocator) {
    this.#bytes = new GrowingBuffer({ memory, maxBytes: MAX_BYTES });
  }

  push(chunk: Uint8Array): void {
    if (this.#bytes === null) return;
    const fits = this.#bytes.length + chunk.length <= MAX_BYTES;
    if (!fits || !this.#bytes.tryPush(chunk)) this.#bytes = null;
  }

  /** Returns the complete body, once; `null` when it was too large. */
  take(): Buffer | null {
    const body = this.#bytes?.bytes ?? null;
    this.#bytes = null;
    return body;
  }
}
