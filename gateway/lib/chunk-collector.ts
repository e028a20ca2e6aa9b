import { ByteChunks } from './byte-chunks.ts';
import type { MemoryAllocator } from './memory-budget.ts';

export interface ChunkCollectorOptions {
  readonly memory: MemoryAllocator;
  /** Number of bytes that the sender has announced; `null` when it has announced none. */
  readonly announced: number | null;
}

/** Smaller chunks are copied together. */
const MIN_KEPT = 16 * 1024;
const BLOCK = 64 * 1024;

/**
 * Collects chunks as they are, because copies of several megabytes cause full garbage collections. Small ones, and those that keep
 * more than twice their own memory, are copied into blocks: a million small chunks take no more space than one large chunk. All of
 * that space is counted.
 */
export class ChunkCollector {
  readonly #options: ChunkCollectorOptions;
  readonly #chunks: Buffer[] = [];
  #block: Buffer | null = null;
  /** Bytes of the block that are used. */
  #used = 0;
  #length = 0;

  constructor(options: ChunkCollectorOptions) {
    this.#options = options;
  }

  get length(): number {
    return this.#length;
  }

  /** Appends a chunk. Returns false when there is no space for it; then nothing has changed. */
  tryPush(chunk: Buffer): boolean {
    const kept = chunk.buffer.byteLength;
    if (chunk.length >= MIN_KEPT && 2 * chunk.length >= kept) {
      if (!this.#options.memory.tryGrow(kept)) return false;
      this.#closeBlock();
      this.#chunks.push(chunk);
    } else if (!this.#tryCopy(chunk)) return false;
    this.#length += chunk.length;
    return true;
  }

  /** Returns all bytes so far, to be called once. */
  take(): ByteChunks {
    this.#closeBlock();
    return new ByteChunks(this.#chunks);
  }

  #tryCopy(chunk: Buffer): boolean {
    if (this.#block === null || this.#used + chunk.length > this.#block.length) {
      const { memory, announced } = this.#options;
      const expected = announced === null ? BLOCK : announced - this.#length;
      const doubled = Math.max(MIN_KEPT, this.#length);
      const size = Math.max(chunk.length, Math.min(BLOCK, expected, doubled));
      if (!memory.tryGrow(size)) return false;
      this.#closeBlock();
      this.#block = Buffer.allocUnsafeSlow(size);
    }
    this.#block.set(chunk, this.#used);
    this.#used += chunk.length;
    return true;
  }

  #closeBlock(): void {
    if (this.#block !== null) this.#chunks.push(this.#block.subarray(0, this.#used));
    this.#block = null;
    this.#used = 0;
  }
}
