import { GrowingBuffer } from '../lib/growing-buffer.ts';
import type { MemoryAllocator } from '../lib/memory-budget.ts';

/** The reader of a body. It gets each chunk as it comes, and then exactly one of `end` or `fail`. */
export interface BodyReader {
  /** Handles a chunk. Returns `false` to pause the body until `resume` is called. */
  data(chunk: Buffer): boolean;
  end(): void;
  fail(error: Error): void;
}

/** The flow control of the connection that a body comes from. */
export interface FlowControl {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

type Ending = { readonly error: Error | null };

/** Maximum of buffered bytes without a reader before the connection is paused. */
const UNREAD_LIMIT = 256 * 1024;

/** The body of a response. Chunks that come before there is a reader are buffered. */
export class UpstreamBody {
  readonly #flow: FlowControl;
  #reader: BodyReader | null = null;
  #unread: Buffer[] = [];
  #unreadBytes = 0;
  #ending: Ending | null = null;

  constructor(flow: FlowControl) {
    this.#flow = flow;
  }

  push(chunk: Buffer): void {
    if (this.#reader !== null) {
      if (!this.#reader.data(chunk)) this.#flow.pause();
      return;
    }
    this.#unread.push(chunk);
    this.#unreadBytes += chunk.length;
    if (this.#unreadBytes > UNREAD_LIMIT) this.#flow.pause();
  }

  end(): void {
    this.#finish({ error: null });
  }

  fail(error: Error): void {
    this.#finish({ error });
  }

  /** Passes all buffered and all later chunks to a reader. */
  read(reader: BodyReader): void {
    this.#reader = reader;
    const unread = this.#unread;
    this.#unread = [];
    this.#unreadBytes = 0;
    let wantsMore = true;
    for (const [index, chunk] of unread.entries()) {
      wantsMore = reader.data(chunk);
      if (this.#reader !== reader) {
        this.#unread = unread.slice(index + 1);
        return;
      }
    }
    if (this.#ending !== null) this.#conclude(reader, this.#ending);
    else if (wantsMore) this.#flow.resume();
    else this.#flow.pause();
  }

  /** Takes a body that has completely come, before it is read; `null` for any other, and for an empty one. */
  takeComplete(): Buffer | null {
    const [first, ...others] = this.#unread;
    if (this.#ending === null || this.#ending.error !== null || first === undefined) return null;
    this.#unread = [];
    return others.length === 0 ? first : Buffer.concat([first, ...others]);
  }

  resume(): void {
    this.#flow.resume();
  }

  /** Puts collected bytes back before the remaining ones. */
  putBack(bytes: Buffer): void {
    this.#reader = null;
    this.#unread.unshift(bytes);
  }

  /** Reads and drops the body, so that the connection can be reused. A long one is aborted. */
  discard(): void {
    let remaining = UNREAD_LIMIT;
    this.read({
      data: (chunk) => {
        remaining -= chunk.length;
        if (remaining < 0) this.#flow.abort(new Error('The response was not needed.'));
        return true;
      },
      end: () => undefined,
      fail: () => undefined,
    });
  }

  /** Aborts the response by closing the connection. Does nothing when it is complete. */
  abort(reason: Error): void {
    if (this.#ending === null) this.#flow.abort(reason);
  }

  /**
   * Buffers up to `bytes`, for up to `ms`, while there is memory for it. `ended` is `false` when there is more, with which the next `read`
   * continues. Rejects when the body breaks off.
   */
  collect(
    { bytes: maxBytes, ms }: { readonly bytes: number; readonly ms: number },
    memory: MemoryAllocator,
  ): Promise<{ readonly bytes: Buffer; readonly ended: boolean }> {
    return new Promise((resolve, reject) => {
      const buffered = new GrowingBuffer({ memory, maxBytes });
      const settle = (conclude: () => void): void => {
        clearTimeout(timer);
        conclude();
      };
      const stop = (last?: Buffer): void => {
        this.#reader = null;
        const bytes = last === undefined ? buffered.bytes : Buffer.concat([buffered.bytes, last]);
        settle(() => resolve({ bytes, ended: false }));
      };
      const timer = setTimeout(stop, ms);
      this.read({
        data: (chunk) => {
          if (buffered.length + chunk.length <= maxBytes && buffered.tryPush(chunk)) return true;
          stop(chunk);
          return false;
        },
        end: () => settle(() => resolve({ bytes: buffered.bytes, ended: true })),
        fail: (error) => settle(() => reject(error)),
      });
    });
  }

  #finish(ending: Ending): void {
    if (this.#ending !== null) return;
    this.#ending = ending;
    if (this.#reader !== null) this.#conclude(this.#reader, ending);
  }

  #conclude(reader: BodyReader, ending: Ending): void {
    if (ending.error === null) reader.end();
    else reader.fail(ending.error);
  }
}
