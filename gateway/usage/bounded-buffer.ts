import { GrowingBuffer } from '../lib/growing-buffer.ts';
import type { MemoryAllocator } from '../lib/memory-budget.ts';

const MAX_BYTES = 8 * 1024 * 1024;

/** Holds a passing body up to 8 MiB, as long as there is room for it; one that is larger is let go. */
export class BoundedBuffer {
  #bytes: GrowingBuffer | null;

  constructor(memory: MemoryAllocator) {
    this.#bytes = new GrowingBuffer({ memory, most: MAX_BYTES });
  }

  push(chunk: Uint8Array): void {
    if (this.#bytes === null) return;
    const fits = this.#bytes.length + chunk.length <= MAX_BYTES;
    if (!fits || !this.#bytes.tryPush(chunk)) this.#bytes = null;
  }

  /** The whole body, once; `null` when it was too large. */
  take(): Buffer | null {
    const body = this.#bytes?.bytes ?? null;
    this.#bytes = null;
    return body;
  }
}
