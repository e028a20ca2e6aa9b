import type { Reservation } from './memory-budget.ts';

const EMPTY = Buffer.alloc(0);

/** Bytes in one or more pieces, in their order. */
export class ByteChunks {
  readonly chunks: readonly Buffer[];
  readonly length: number;
  /** The offset of each piece. */
  readonly #starts: readonly number[];

  constructor(chunks: readonly Buffer[]) {
    let length = 0;
    this.chunks = chunks;
    this.#starts = chunks.map((chunk) => {
      const start = length;
      length += chunk.length;
      return start;
    });
    this.length = length;
  }

  /** Returns all bytes in one piece. More than one are copied, and the copy is counted beside them. @throws Problem memory_full */
  join(memory: Pick<Reservation, 'grow'>): Buffer {
    const [only = EMPTY, ...others] = this.chunks;
    if (others.length === 0) return only;
    memory.grow(this.length);
    return Buffer.concat(this.chunks);
  }

  /** Returns the bytes between two offsets. They are copied only if they are in more than one piece. Pieces outside are not visited. */
  slice(start: number, end: number): Buffer {
    const parts = this.#pieces(start, end);
    const [only] = parts;
    return parts.length === 1 && only !== undefined ? only : Buffer.concat(parts);
  }

  #pieces(start: number, end: number): Buffer[] {
    const parts: Buffer[] = [];
    for (let index = this.#findIndex(start); index < this.chunks.length; index += 1) {
      const offset = this.#starts[index] ?? 0;
      if (offset >= end) break;
      const part = this.chunks[index]?.subarray(Math.max(0, start - offset), end - offset);
      if (part !== undefined && part.length > 0) parts.push(part);
    }
    return parts;
  }

  /** Returns these bytes with those from `start` to `end` replaced. None are copied. */
  replace(start: number, end: number, bytes: Buffer): ByteChunks {
    return new ByteChunks([...this.#pieces(0, start), bytes, ...this.#pieces(end, this.length)]);
  }

  /** Finds the last piece that begins at an offset or before it. */
  #findIndex(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
