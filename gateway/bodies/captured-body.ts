import { isUtf8 } from 'node:buffer';

/** The part of a body that is kept at its beginning and at its end; the middle of a longer one is not kept. */
const HEAD_BYTES = 768 * 1024;
const TAIL_BYTES = 256 * 1024;
/** Marks of more chunks than this are dropped: the times of later events are then those of the last mark. */
const MAX_MARKS = 5_000;
/** Bytes that a mark takes. */
const MARK_BYTES = 16;

/** Limits the bytes that all captures hold together, because they outlive the buffers of their exchanges. */
export class CaptureBudget {
  readonly #bytes: number;
  #held = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  get held(): number {
    return this.#held;
  }

  tryHold(bytes: number): boolean {
    if (this.#held + bytes > this.#bytes) return false;
    this.#held += bytes;
    return true;
  }

  release(bytes: number): void {
    this.#held -= bytes;
  }
}

/** A body as it was captured. Its bytes must be copied before the capture is released. */
export interface CapturedParts {
  readonly head: readonly Uint8Array[];
  readonly tail: readonly Uint8Array[];
  /** Bytes in `head`, and in `tail`. */
  readonly headBytes: number;
  readonly tailBytes: number;
  /** Bytes that passed. */
  readonly bytes: number;
  /** Pairs: the number of bytes up to the end of a chunk, and when it passed, in milliseconds of the monotonic clock. */
  readonly marks: readonly number[];
}

/** `whole`: in few chunks. `events`: an event stream, whose chunks are small and have times. `counted`: only its size is kept. */
export type CaptureKind = 'whole' | 'events' | 'counted';

/** Collects a body while it passes: its chunks, up to a limit, and when they came. It never fails. */
export class CapturedBody {
  readonly #budget: CaptureBudget;
  readonly #kind: CaptureKind;
  readonly #marks: number[] = [];
  readonly #head: ChunkList;
  /** The end of a body that is longer than the head. */
  #tail: ChunkList | null = null;
  #bytes = 0;
  #isReleased = false;
  #isDropped = false;

  constructor(budget: CaptureBudget, kind: CaptureKind = 'whole') {
    this.#budget = budget;
    this.#kind = kind;
    this.#head = new ChunkList(kind === 'whole');
  }

  /** Whether the budget was used up, so that nothing is kept. */
  get isDropped(): boolean {
    return this.#isDropped;
  }

  push(chunk: Uint8Array): void {
    this.#bytes += chunk.length;
    if (this.#isReleased || this.#kind === 'counted') return;
    const room = HEAD_BYTES - this.#head.bytes;
    const kept = Math.min(chunk.length, room + TAIL_BYTES);
    const isMarked = this.#kind === 'events' && this.#marks.length < 2 * MAX_MARKS;
    if (!this.#budget.tryHold(kept + (isMarked ? MARK_BYTES : 0))) {
      this.#isDropped = true;
      return this.release();
    }
    if (isMarked) this.#marks.push(this.#bytes, performance.now());
    if (chunk.length <= room) return this.#head.push(chunk);
    // A part is copied, because it would keep the whole chunk in memory.
    if (room > 0) this.#head.push(new Uint8Array(chunk.subarray(0, room)));
    const end = chunk.subarray(chunk.length - kept + room);
    this.#pushTail(end.length === chunk.length ? chunk : new Uint8Array(end));
  }

  /** Returns what was captured so far; `null` when nothing of it is kept. */
  parts(): CapturedParts | null {
    if (this.#isReleased) return null;
    const tail = this.#tail?.last(TAIL_BYTES) ?? NOTHING;
    return {
      head: this.#head.chunks,
      tail,
      headBytes: this.#head.bytes,
      tailBytes: Math.min(this.#tail?.bytes ?? 0, TAIL_BYTES),
      bytes: this.#bytes,
      marks: this.#marks,
    };
  }

  /** Drops everything and gives its bytes back to the budget. It may be called twice. */
  release(): void {
    const marked = (this.#marks.length / 2) * MARK_BYTES;
    this.#budget.release(this.#head.clear() + (this.#tail?.clear() ?? 0) + marked);
    this.#marks.length = 0;
    this.#isReleased = true;
  }

  #pushTail(chunk: Uint8Array): void {
    this.#tail ??= new ChunkList();
    this.#tail.push(chunk);
    this.#budget.release(this.#tail.dropBefore(TAIL_BYTES));
  }
}

const NOTHING: readonly never[] = [];
/** Smaller chunks are copied into common blocks: an object for each would need more memory than its bytes. */
const MIN_SHARED_CHUNK = 4096;
const FIRST_BLOCK = 2048;
const MAX_BLOCK = 64 * 1024;

/** Chunks in their order. */
class ChunkList {
  #chunks: Uint8Array[] = [];
  #bytes = 0;
  /** The block that the last chunk is a part of, and the number of its bytes in use. */
  #block: Uint8Array | null = null;
  #used = 0;
  /** Whether a small chunk is not copied as long as it is the only one. */
  readonly #keepsFirst: boolean;

  constructor(keepsFirst = false) {
    this.#keepsFirst = keepsFirst;
  }

  get chunks(): readonly Uint8Array[] {
    return this.#chunks;
  }

  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#bytes += chunk.length;
    const isFirst = this.#chunks.length === 0;
    // A view of a large buffer would keep all of it in memory.
    const isKept = this.#keepsFirst && isFirst && chunk.buffer.byteLength <= MIN_SHARED_CHUNK;
    if (chunk.length >= MIN_SHARED_CHUNK || isKept) {
      this.#chunks.push(chunk);
      this.#block = null;
      return;
    }
    const [first] = this.#chunks;
    const isSecond = this.#chunks.length === 1 && this.#block === null;
    if (isSecond && first !== undefined && first.length < MIN_SHARED_CHUNK) {
      this.#chunks = [];
      this.#copy(first);
    }
    this.#copy(chunk);
  }

  /** Drops the oldest chunks that are not needed for the last `bytes` bytes. Returns the number of dropped bytes. */
  dropBefore(bytes: number): number {
    let dropped = 0;
    let count = 0;
    for (const { length } of this.#chunks) {
      if (this.#bytes - dropped - length < bytes) break;
      dropped += length;
      count += 1;
    }
    if (count > 0) this.#chunks = this.#chunks.slice(count);
    this.#bytes -= dropped;
    return dropped;
  }

  /** Returns the last bytes, at most so many. */
  last(bytes: number): readonly Uint8Array[] {
    let over = Math.max(0, this.#bytes - bytes);
    return this.#chunks.flatMap((chunk) => {
      const skipped = Math.min(over, chunk.length);
      over -= skipped;
      if (skipped === 0) return [chunk];
      return skipped === chunk.length ? [] : [chunk.subarray(skipped)];
    });
  }

  /** Drops everything. Returns the number of dropped bytes. */
  clear(): number {
    const bytes = this.#bytes;
    this.#chunks = [];
    this.#bytes = 0;
    this.#block = null;
    return bytes;
  }

  #copy(chunk: Uint8Array): void {
    if (this.#block === null || this.#block.length - this.#used < chunk.length) {
      const before = this.#block?.length ?? 0;
      const size = Math.min(MAX_BLOCK, Math.max(FIRST_BLOCK, 2 * before, chunk.length));
      this.#block = new Uint8Array(size);
      this.#used = 0;
      this.#chunks.push(this.#block.subarray(0, 0));
    }
    this.#block.set(chunk, this.#used);
    this.#used += chunk.length;
    this.#chunks[this.#chunks.length - 1] = this.#block.subarray(0, this.#used);
  }
}

/** Whether bytes are UTF-8 text without NUL, which UTF-16 has. A character that is cut off at the end does not count against it. */
export function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false;
  for (let cut = 0; cut <= 3 && cut <= bytes.length; cut += 1) {
    if (isUtf8(bytes.subarray(0, bytes.length - cut))) return true;
  }
  return false;
}
