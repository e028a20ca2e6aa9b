import type { MemoryAllocator } from './memory-budget.ts';

export interface GrowingBufferOptions {
  readonly memory: MemoryAllocator;
  /** The most bytes that will come. */
  readonly most: number;
}

const MIN_GROWTH = 16 * 1024;

/** Bytes that come piece by piece, held in one place: a million small pieces take no more room than one large. All of that room is counted. */
export class GrowingBuffer {
  readonly #options: GrowingBufferOptions;
  #place: Uint8Array = Buffer.alloc(0);
  #length = 0;

  constructor(options: GrowingBufferOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#length;
  }

  /** Puts a piece behind the others. False when there is no room for it: nothing has changed then. */
  tryPush(piece: Uint8Array): boolean {
    const length = this.#length + piece.length;
    if (length > this.#place.length && !this.#tryGrow(piece, length)) return false;
    if (this.#place !== piece) this.#place.set(piece, this.#length);
    this.#length = length;
    return true;
  }

  /** Everything that came. */
  get bytes(): Buffer {
    return Buffer.from(this.#place.buffer, this.#place.byteOffset, this.#length);
  }

  #tryGrow(piece: Uint8Array, needed: number): boolean {
    const { memory, most } = this.#options;
    if (this.#length === 0) {
      // One piece is often all there is.
      if (!memory.tryGrow(piece.length)) return false;
      this.#place = piece;
      return true;
    }
    const size = Math.max(needed, Math.min(most, Math.max(2 * needed, MIN_GROWTH)));
    if (!memory.tryGrow(size - this.#place.length)) return false;
    const place = Buffer.allocUnsafeSlow(size);
    place.set(this.#place.subarray(0, this.#length));
    this.#place = place;
    return true;
  }
}
