import type { ExchangeRecord } from '../../shared/exchange.ts';
import { dayOf } from './days.ts';
import { markOf, marksOf } from './marks.ts';
import { firstOf, wordsIn } from './words.ts';

/** A word that many exchanges may have, and a local day on which one had it. */
export interface CommonWord {
  readonly word: string;
  readonly day: string;
}

/** Texts whose words are remembered. */
const MOST_TEXTS = 5_000;

/**
 * Makes of exchanges what is put into the search index: marks for filters, the words of texts that repeat (paths, models, clients,
 * agents, codes), and, each behind a `~`, those of texts that hardly do (conversations, messages). The former are few, so that a
 * beginning can be looked up among them, while it would match most exchanges; the latter are many, and each is rare.
 */
export class Documents {
  /** The words of a text. Of the texts in here, every word has been given out for this day. */
  readonly #known = new Map<string, string>();
  readonly #rare = new Map<string, string>();
  readonly #marks = new Map<string, string>();
  #day = '';
  #fresh: CommonWord[] = [];

  /** The text to be indexed for an exchange. */
  documentOf(exchange: ExchangeRecord): string {
    const day = dayOf(exchange.startedAt);
    if (day !== this.#day || this.#known.size > MOST_TEXTS) this.forget();
    this.#day = day;
    const common = new Set(commonTexts(exchange));
    const parts = marksOf(exchange, this.#markOf);
    for (const text of common) if (text !== null) parts.push(this.#commonWords(text));
    if (exchange.conversation !== null) parts.push(this.#rareWords(exchange.conversation));
    if (exchange.errorMessage !== null) parts.push(rareWords(exchange.errorMessage));
    return parts.join(' ');
  }

  /** The words that occurred for the first time on their day since they were taken last, or since all was forgotten. */
  takeFresh(): readonly CommonWord[] {
    const fresh = this.#fresh;
    this.#fresh = [];
    return fresh;
  }

  /** What was given out was not kept, or may not be there any more. */
  forget(): void {
    this.#known.clear();
    this.#rare.clear();
    this.#marks.clear();
  }

  readonly #markOf: typeof markOf = (kind, value) => {
    const key = kind + value;
    const mark = this.#marks.get(key) ?? markOf(kind, value);
    this.#marks.set(key, mark);
    return mark;
  };

  #commonWords(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const words = [...new Set(wordsIn(text))];
    for (const word of words) this.#fresh.push({ word, day: this.#day });
    const joined = words.join(' ');
    this.#known.set(text, joined);
    return joined;
  }

  #rareWords(text: string): string {
    const words = this.#rare.get(text) ?? rareWords(text);
    if (this.#rare.size > MOST_TEXTS) this.#rare.clear();
    this.#rare.set(text, words);
    return words;
  }
}

function commonTexts(exchange: ExchangeRecord): (string | null)[] {
  return [
    exchange.pathReceived,
    exchange.modelAsked,
    exchange.modelSent,
    exchange.modelServed,
    exchange.clientName,
    exchange.userAgent,
    exchange.errorCode,
    ...exchange.repairs.map(({ code }) => code),
  ];
}

/** With their first letters behind a `^`: too many words begin with the same letter to be looked up by it. */
function rareWords(text: string): string {
  const words = wordsIn(text);
  const letters = new Set(words.map((word) => `^${firstOf(word)}`));
  return [...letters, ...words.map((word) => `~${word}`)].join(' ');
}
