import { MAX_DEPTH, MAX_VALUES, findStringEnd } from '../lib/parse-json.ts';

/** A JSON text without surplus entries of its lists, and the number of those. */
export interface ShortenedList {
  readonly text: string;
  /** Number of entries that are too large: more than 64 Ki characters, or nested too deeply. */
  readonly large: number;
  /** Number of entries beyond the limit of a list. */
  readonly many: number;
}

/** Maximum size of an entry, in characters. */
const MAX_ENTRY_BYTES = 64 * 1024;
/** Maximum size of all accepted entries, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** Maximum number of arrays side by side. The chunks of more would take more memory than the text. */
const MAX_ARRAYS = 1_000;
/** Leaves room for the values around a list. */
const MAX_LIST_VALUES = MAX_VALUES - 10_000;

const QUOTE = 0x22;

/**
 * Removes entries from the outermost arrays of a JSON text before it is parsed, so that one large entry, or very many, cannot
 * use up the memory or displace the rest of the list. Keeps at most `maxEntries` of each array. Considers only arrays inside
 * objects of at most `maxLevels` levels, and removes nothing from a text with more than 1,000 of them. Removed entries are
 * not validated; a text that is not JSON stays invalid, or fails to be parsed afterwards.
 */
export function shortenList(
  text: string,
  { maxEntries, maxLevels }: { readonly maxEntries: number; readonly maxLevels: number },
): ShortenedList {
  const collector = new EntryCollector(text, maxEntries);
  let depth = 0;
  let arrays = 0;
  let listDepth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (code === 0x5b && listDepth === 0 && depth <= maxLevels + 1) {
        arrays += 1;
        if (arrays > MAX_ARRAYS) return { text, large: 0, many: 0 };
        listDepth = depth;
        collector.begin(at + 1);
      } else if (listDepth > 0) collector.count(depth);
    } else if (code === 0x2c) {
      if (depth === listDepth && listDepth > 0) collector.endEntry(at);
      else collector.count(depth);
    } else if (code === 0x5d || code === 0x7d) {
      if (depth === listDepth && listDepth > 0) {
        collector.end(at);
        listDepth = 0;
      }
      depth -= 1;
    }
  }
  return collector.finish();
}

/** Collects the entries of the arrays of a text. */
class EntryCollector {
  readonly #text: string;
  readonly #maxEntries: number;
  readonly #chunks: string[] = [];
  #entries: string[] = [];
  /** Start of the text that is not in a chunk yet. */
  #from = 0;
  #entryStart = 0;
  #entryValues = 0;
  #entryDepth = 0;
  #characters = 0;
  #values = 0;
  #large = 0;
  #many = 0;

  constructor(text: string, maxEntries: number) {
    this.#text = text;
    this.#maxEntries = maxEntries;
  }

  /** Starts an array; its first entry starts here. */
  begin(at: number): void {
    this.#chunks.push(this.#text.slice(this.#from, at));
    this.#entries = [];
    this.#startEntry(at);
  }

  /** Counts one more value of the entry. */
  count(depth: number): void {
    this.#entryValues += 1;
    this.#entryDepth = Math.max(this.#entryDepth, depth);
  }

  /** Ends an entry at a comma, or at the end of the array. */
  endEntry(at: number): void {
    const length = at - this.#entryStart;
    if (length > MAX_ENTRY_BYTES || this.#entryDepth > MAX_DEPTH) this.#large += 1;
    else if (
      this.#entries.length >= this.#maxEntries ||
      this.#characters + length > MAX_CHARACTERS ||
      this.#values + this.#entryValues > MAX_LIST_VALUES
    ) {
      this.#many += 1;
    } else {
      this.#entries.push(this.#text.slice(this.#entryStart, at));
      this.#characters += length + 1;
      this.#values += this.#entryValues + 1;
    }
    this.#startEntry(at + 1);
  }

  /** Ends the array here. */
  end(at: number): void {
    this.endEntry(at);
    this.#chunks.push(this.#entries.join(','));
    this.#from = at;
  }

  finish(): ShortenedList {
    const isWhole = this.#large === 0 && this.#many === 0;
    const text = isWhole ? this.#text : [...this.#chunks, this.#text.slice(this.#from)].join('');
    return { text, large: this.#large, many: this.#many };
  }

  #startEntry(at: number): void {
    this.#entryStart = at;
    this.#entryValues = 0;
    this.#entryDepth = 0;
  }
}
