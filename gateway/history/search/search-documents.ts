import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { describeFailure } from '../../../shared/failure/find-failure.ts';
import { createDayFormatter } from '../days.ts';
import { facetToken, exchangeFacets, numberFacets } from '../facets.ts';
import { firstCharacter, tokenize } from './tokenize.ts';

/** A word that many exchanges may contain, and a local day on which one of them did. */
export interface IndexedWord {
  readonly word: string;
  readonly day: string;
}

/** A document, and the values that it was made of. */
interface BuiltDocument {
  readonly source: readonly unknown[];
  readonly document: string;
}

const NO_DOCUMENT: BuiltDocument = { source: [], document: '' };

/** Number of texts whose words are cached. */
const MAX_TEXTS = 5_000;

/**
 * Builds the texts of the search index: tokens for filters; the words of texts that repeat (paths, models, clients, agents,
 * statuses, causes of failures, advice); and, each after a `~`, the words of texts that hardly repeat (conversations, messages). There are few of the former,
 * so that a prefix can be looked up among them instead of matching most exchanges; there are many of the latter, and each is
 * rare.
 */
export class SearchDocumentBuilder {
  /** The words of a text, by text. Every word in here has already been returned for this day. */
  readonly #known = new Map<string, string>();
  readonly #rare = new Map<string, string>();
  readonly #facetTokens = new Map<string, string>();
  readonly #toDay = createDayFormatter();
  #day = '';
  #latest: BuiltDocument = NO_DOCUMENT;
  #newWords: IndexedWord[] = [];

  /** Returns the text to be indexed for an exchange. `tools`: as `RecognisedStep` has them. */
  build(exchange: ExchangeRecord, tools: readonly string[] = []): string {
    const day = this.#toDay(exchange.startedAt);
    if (day !== this.#day || this.#known.size > MAX_TEXTS) this.reset();
    this.#day = day;
    const common = listCommonTexts(exchange);
    const source = [...common, ...listOtherParts(exchange)];
    // Exchanges of one agent differ in nothing that is searched but their numbers.
    if (!isEqual(source, this.#latest.source)) {
      const words = [...common, describeFailure(exchange)];
      this.#latest = { source, document: this.#build(exchange, new Set(words)) };
    }
    const ofTools = tools.map((name) => this.#facetToken('x', name));
    return [this.#latest.document, ...numberFacets(exchange), ...ofTools].join(' ');
  }

  #build(exchange: ExchangeRecord, common: ReadonlySet<string | null>): string {
    const parts = exchangeFacets(exchange, this.#facetToken);
    for (const text of common) if (text !== null) parts.push(this.#indexCommonWords(text));
    if (exchange.conversation !== null) parts.push(this.#indexRareWords(exchange.conversation));
    if (exchange.errorMessage !== null) parts.push(tokenizeRare(exchange.errorMessage));
    return parts.join(' ');
  }

  /** Returns the words that occurred for the first time on their day since the last call or the last `reset`. */
  takeNewWords(): readonly IndexedWord[] {
    const newWords = this.#newWords;
    this.#newWords = [];
    return newWords;
  }

  /** Must be called when the returned words were not stored, or may have been deleted. */
  reset(): void {
    this.#known.clear();
    this.#rare.clear();
    this.#facetTokens.clear();
    this.#latest = NO_DOCUMENT;
  }

  readonly #facetToken: typeof facetToken = (kind, value) => {
    const key = kind + value;
    const token = this.#facetTokens.get(key) ?? facetToken(kind, value);
    if (this.#facetTokens.size > MAX_TEXTS) this.#facetTokens.clear();
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
    exchange.status === null ? null : String(exchange.status),
    ...exchange.repairs.flatMap(({ code, advice }) => [code, advice]),
  ];
}

/** Lists what a document is made of besides the common texts. */
function listOtherParts(exchange: ExchangeRecord): readonly unknown[] {
  const { service, route, streamed, endedBy, conversation, errorMessage, sender } = exchange;
  return [service, route, streamed, endedBy, conversation, errorMessage, sender?.project];
}

function isEqual(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((value, index) => value === other[index]);
}

/** Adds the first letters of each word after a `^`: too many words start with the same letter to look them up by it. */
function tokenizeRare(text: string): string {
  const words = tokenize(text);
  const letters = new Set(words.map((word) => `^${firstCharacter(word)}`));
  return [...letters, ...words.map((word) => `~${word}`)].join(' ');
}
