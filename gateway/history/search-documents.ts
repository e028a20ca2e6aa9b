import type { ExchangeRecord } from '../../shared/exchange.ts';
import { toDay } from './days.ts';
import { facetToken, exchangeFacets } from './facets.ts';
import { firstCharacter, tokenize } from './tokenize.ts';

/** A word that many exchanges may have, and a local day on which one had it. */
export interface IndexedWord {
  readonly word: string;
  readonly day: string;
}

/** Texts whose words are remembered. */
const MAX_TEXTS = 5_000;

/**
 * Makes of exchanges what is put into the search index: marks for filters, the words of texts that repeat (paths, models, clients,
 * agents, codes), and, each behind a `~`, those of texts that hardly do (conversations, messages). The former are few, so that a
 * beginning can be looked up among them, while it would match most exchanges; the latter are many, and each is rare.
 */
export class SearchDocumentBuilder {
  /** The words of a text. Of the texts in here, every word has been given out for this day. */
  readonly #known = new Map<string, string>();
  readonly #rare = new Map<string, string>();
  readonly #facetTokens = new Map<string, string>();
  #day = '';
  #newWords: IndexedWord[] = [];

  /** The text to be indexed for an exchange. */
  build(exchange: ExchangeRecord): string {
    const day = toDay(exchange.startedAt);
    if (day !== this.#day || this.#known.size > MAX_TEXTS) this.reset();
    this.#day = day;
    const common = new Set(listCommonTexts(exchange));
    const parts = exchangeFacets(exchange, this.#facetToken);
    for (const text of common) if (text !== null) parts.push(this.#indexCommonWords(text));
    if (exchange.conversation !== null) parts.push(this.#indexRareWords(exchange.conversation));
    if (exchange.errorMessage !== null) parts.push(tokenizeRare(exchange.errorMessage));
    return parts.join(' ');
  }

  /** The words that occurred for the first time on their day since they were taken last, or since all was forgotten. */
  takeNewWords(): readonly IndexedWord[] {
    const newWords = this.#newWords;
    this.#newWords = [];
    return newWords;
  }

  /** What was given out was not kept, or may not be there any more. */
  reset(): void {
    this.#known.clear();
    this.#rare.clear();
    this.#facetTokens.clear();
  }

  readonly #facetToken: typeof facetToken = (kind, value) => {
    const key = kind + value;
    const token = this.#facetTokens.get(key) ?? facetToken(kind, value);
    this.#facetTokens.set(key, token);
    return token;
  };

  #indexCommonWords(text: string): string {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const words = [...new Set(tokenize(text))];
    for (const word of words) this.#newWords.push({ word, day: this.#day });
    const joined = words.join(' ');
    this.#known.set(text, joined);
    return joined;
  }

  #indexRareWords(text: string): string {
    const words = this.#rare.get(text) ?? tokenizeRare(text);
    if (this.#rare.size > MAX_TEXTS) this.#rare.clear();
    this.#rare.set(text, words);
    return words;
  }
}

function listCommonTexts(exchange: ExchangeRecord): (string | null)[] {
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
function tokenizeRare(text: string): string {
  const words = tokenize(text);
  const letters = new Set(words.map((word) => `^${firstCharacter(word)}`));
  return [...letters, ...words.map((word) => `~${word}`)].join(' ');
}
