import { GrowingBuffer } from '../lib/growing-buffer.ts';
import type { MemoryAllocator } from '../lib/memory-budget.ts';

/** Whoever reads an answer's body: gets each chunk as it comes, and then exactly one of `end` or `fail`. */
export interface BodyReader {
  /** Returns false when it wants no more until `resume` is called on the body. */
  data(chunk: Buffer): boolean;
  end(): void;
  fail(error: Error): void;
}

/** What a body needs of the connection it comes from. */
export interface FlowControl {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

type Ending = { readonly error: Error | null };

/** Bytes that may pile up before the connection is paused, while nobody reads yet. */
const UNREAD_LIMIT = 256 * 1024;

/** The body of an answer: what arrives before anyone reads is kept, so that no chunk is lost between head and reader. */
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

  /** Hands over everything that has come and everything that will. */
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

  resume(): void {
    this.#flow.resume();
  }

  /** Puts bytes that were collected back in front of what is still to come. */
  putBack(bytes: Buffer): void {
    this.#reader = null;
    this.#unread.unshift(bytes);
  }

  /** Reads to the end and forgets it, so that the connection can serve again. An endless body is cut off. */
  discard(): void {
    let left = UNREAD_LIMIT;
    this.read({
      data: (chunk) => {
        left -= chunk.length;
        if (left < 0) this.#flow.abort(new Error('The answer was not needed.'));
        return true;
      },
      end: () => undefined,
      fail: () => undefined,
    });
  }

  /** Stops the answer: the connection to the service is closed at once. Does nothing when all of it has come. */
  abort(reason: Error): void {
    if (this.#ending === null) this.#flow.abort(reason);
  }

  /**
   * Reads up to `bytes`, for up to `ms`, as long as there is room for it. `ended` is false when there is more, which the next `read`
   * continues with. Rejects when the body breaks off before.
   */
  collect(
    { bytes: most, ms }: { readonly bytes: number; readonly ms: number },
    memory: MemoryAllocator,
  ): Promise<{ readonly bytes: Buffer; readonly ended: boolean }> {
    return new Promise((resolve, reject) => {
      const held = new GrowingBuffer({ memory, most });
      const settle = (conclude: () => void): void => {
        clearTimeout(timer);
        conclude();
      };
      const stop = (last?: Buffer): void => {
        this.#reader = null;
        const bytes = last === undefined ? held.bytes : Buffer.concat([held.bytes, last]);
        settle(() => resolve({ bytes, ended: false }));
      };
      const timer = setTimeout(stop, ms);
      this.read({
        data: (chunk) => {
          if (held.length + chunk.length <= most && held.tryPush(chunk)) return true;
          stop(chunk);
          return false;
        },
        end: () => settle(() => resolve({ bytes: held.bytes, ended: true })),
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
