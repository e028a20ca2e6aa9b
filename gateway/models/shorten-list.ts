import { MAX_DEPTH, MAX_VALUES, findStringEnd } from '../lib/parse-json.ts';

/** A JSON text without those entries of its lists that are not taken, and how many these are. */
export interface ShortenedList {
  readonly text: string;
  /** Larger than any model: by itself, of more than 64 Ki characters, or nested too deeply. */
  readonly large: number;
  /** Beyond what is taken of a list. */
  readonly many: number;
}

/** No model has more, in characters. */
const LARGEST_ENTRY = 64 * 1024;
/** Of what is taken, in characters. */
const MAX_CHARACTERS = 8 * 1024 * 1024;
/** No answer has more arrays beside each other. Pieces of many would take more memory than the text. */
const MOST_ARRAYS = 1_000;
/** What stands around a list has values, too. */
const MAX_LIST_VALUES = MAX_VALUES - 10_000;

const QUOTE = 0x22;

/**
 * Leaves entries out of the outermost arrays of a JSON text before it is parsed, so that one entry, or their number, takes neither the
 * memory nor the rest of the list. Of each array at most `mostEntries` are kept. Only arrays that objects of at most `mostLevels` levels
 * hold are looked at, and nothing is left out of a text that has more than 1,000 of them. What is left out is not looked at further; a
 * text that is no JSON stays one, or fails to be parsed afterwards.
 */
export function shortenList(
  text: string,
  { mostEntries, mostLevels }: { readonly mostEntries: number; readonly mostLevels: number },
): ShortenedList {
  const kept = new EntryCollector(text, mostEntries);
  let depth = 0;
  let arrays = 0;
  let listDepth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = findStringEnd(text, at);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      if (code === 0x5b && listDepth === 0 && depth <= mostLevels + 1) {
        arrays += 1;
        if (arrays > MOST_ARRAYS) return { text, large: 0, many: 0 };
        listDepth = depth;
        kept.begin(at + 1);
      } else if (listDepth > 0) kept.count(depth);
    } else if (code === 0x2c) {
      if (depth === listDepth && listDepth > 0) kept.endEntry(at);
      else kept.count(depth);
    } else if (code === 0x5d || code === 0x7d) {
      if (depth === listDepth && listDepth > 0) {
        kept.end(at);
        listDepth = 0;
      }
      depth -= 1;
    }
  }
  return kept.finish();
}

/** The entries of the arrays of a text, as they are found. */
class EntryCollector {
  readonly #text: string;
  readonly #mostEntries: number;
  readonly #pieces: string[] = [];
  #entries: string[] = [];
  /** Of what is in no piece yet. */
  #from = 0;
  #entryStart = 0;
  #entryValues = 0;
  #entryDepth = 0;
  #characters = 0;
  #values = 0;
  #large = 0;
  #many = 0;

  constructor(text: string, mostEntries: number) {
    this.#text = text;
    this.#mostEntries = mostEntries;
  }

  /** An array begins; its first entry starts here. */
  begin(at: number): void {
    this.#pieces.push(this.#text.slice(this.#from, at));
    this.#entries = [];
    this.#startEntry(at);
  }

  /** The entry has one value more. */
  count(depth: number): void {
    this.#entryValues += 1;
    this.#entryDepth = Math.max(this.#entryDepth, depth);
  }

  /** A comma, or the end of the array, stands here. */
  endEntry(at: number): void {
    const length = at - this.#entryStart;
    if (length > LARGEST_ENTRY || this.#entryDepth > MAX_DEPTH) this.#large += 1;
    else if (
      this.#entries.length >= this.#mostEntries ||
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

  /** The array ends here. */
  end(at: number): void {
    this.endEntry(at);
    this.#pieces.push(this.#entries.join(','));
    this.#from = at;
  }

  finish(): ShortenedList {
    const isWhole = this.#large === 0 && this.#many === 0;
    const text = isWhole ? this.#text : [...this.#pieces, this.#text.slice(this.#from)].join('');
    return { text, large: this.#large, many: this.#many };
  }

  #startEntry(at: number): void {
    this.#entryStart = at;
    this.#entryValues = 0;
    this.#entryDepth = 0;
  }
}
