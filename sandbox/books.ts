import type { ReplyUsage } from './text/reply.ts';

/** A billed call in the books of the sandbox. */
export interface BookEntry {
  /** The request target as received. */
  readonly url: string;
  /** The model as requested; empty where there is none. */
  readonly model: string;
  /** The tokens of the whole answer; `null` for a video and for a recorded response. */
  readonly usage: ReplyUsage | null;
  /** Output tokens that were produced until the answer ended: those of the written events, or all where it is no stream. */
  readonly produced: number;
  /** Whether the tokens of the whole answer were told to the caller. */
  readonly isReported: boolean;
}

/** A call whose answer is being sent. */
export type OpenEntry = { -readonly [name in keyof BookEntry]: BookEntry[name] };

const MAX_ENTRIES = 10_000;

/** Records what is billed: all calls in number, the latest in detail. */
export class Books {
  #entries: OpenEntry[] = [];
  #charges = 0;

  get charges(): number {
    return this.#charges;
  }

  /** The latest calls, oldest first: at most 10,000. */
  get latest(): readonly BookEntry[] {
    return this.#entries.slice(-MAX_ENTRIES);
  }

  enter(call: Pick<BookEntry, 'url' | 'model' | 'usage'>): OpenEntry {
    const entry = { ...call, produced: 0, isReported: false };
    this.#charges += 1;
    this.#entries.push(entry);
    // Removing many at once costs less than shifting all of them for each.
    if (this.#entries.length >= 2 * MAX_ENTRIES) this.#entries = this.#entries.slice(-MAX_ENTRIES);
    return entry;
  }
}
