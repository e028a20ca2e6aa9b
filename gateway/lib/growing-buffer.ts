import type { MemoryAllocator } from './memory-budget.ts';

export interface GrowingBufferOptions {
  readonly memory: MemoryAllocator;
  /** Maximum number of bytes that will be pushed. */
  readonly maxBytes: number;
}

const MIN_GROWTH = 16 * 1024;
const NO_BYTES = Buffer.alloc(0);

/** Collects bytes in one buffer: a million small chunks take no more space than one large chunk. All of that space is counted. */
export class GrowingBuffer {
  readonly #options: GrowingBufferOptions;
  #place: Uint8Array = NO_BYTES;
  #length = 0;

  constructor(options: GrowingBufferOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a chunk. Returns false when there is no space for it; then nothing has changed. */
  tryPush(chunk: Uint8Array): boolean {
    const length = this.#length + chunk.length;
    if (length > this.#place.length && !this.#tryGrow(chunk, length)) return false;
    if (this.#place !== chunk) this.#place.set(chunk, this.#length);
    this.#length = length;
    return true;
  }

  /** All bytes so far. */
  get bytes(): Buffer {
    return Buffer.from(this.#place.buffer, this.#place.byteOffset, this.#length);
  }

  #tryGrow(chunk: Uint8Array, needed: number): boolean {
    const { memory, maxBytes } = this.#options;
    if (this.#length === 0) {
      // One chunk is often all there is.
      if (!memory.tryGrow(chunk.length)) return false;
      this.#place = chunk;
      return true;
    }
    const doubled = Math.min(maxBytes, Math.max(2 * needed, MIN_GROWTH));
    const size = Math.max(needed, doubled);
    if (!memory.tryGrow(size - this.#place.length)) return false;
    const place = Buffer.allocUnsafeSlow(size);
    place.set(this.#place.subarray(0, this.#length));
    this.#place = place;
    return true;
  }
}
