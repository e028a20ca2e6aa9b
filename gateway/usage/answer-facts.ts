import type { TextProtocol } from '../../shared/chat/chat.ts';
import type { Usage } from '../../shared/exchange/usage.ts';
import {
  parseChatCounts,
  type TokenCounts,
  mergeCounts,
  parseMessagesCounts,
  NO_COUNTS,
  parseResponsesCounts,
  toUsage,
  addCacheToInput,
} from './counts.ts';
import { type JsonObject, asObject, parseName } from '../lib/json-object.ts';
import type { Measurement } from './meter.ts';

/** Collects facts about the exchange from an answer, or from the events of a stream in order. */
export class AnswerFacts {
  readonly #protocol: TextProtocol | null;
  #counts: TokenCounts = NO_COUNTS;
  #model: string | null = null;
  #id: string | null = null;
  #failed = false;
  #errorCode: string | null = null;

  constructor(protocol: TextProtocol | null) {
    this.#protocol = protocol;
  }

  get model(): string | null {
    return this.#model;
  }

  /** Whether the service reported an error. */
  get failed(): boolean {
    return this.#failed;
  }

  get measurement(): Measurement {
    const errorCode = this.#errorCode;
    const modelServed = this.#model;
    return { usage: this.#usage, modelServed, answerId: this.#id, errorCode, isPage: false };
  }

  get #usage(): Usage {
    const messages = this.#protocol === 'messages';
    return toUsage(messages ? addCacheToInput(this.#counts) : this.#counts);
  }

  /** Reads an answer, or the data of one event. */
  read(data: JsonObject): void {
    const answer = this.#findAnswer(data);
    this.#readError(data, answer);
    if (this.#protocol === null) return;
    this.#model ??= parseName(answer['model']);
    this.#id ??= parseName(answer['id']);
    const usage = asObject(answer['usage'] ?? data['usage']);
    if (usage !== null) this.#counts = mergeCounts(this.#counts, this.#parseCounts(usage, data));
  }

  /** Returns the object with the model and the usage: some events nest it one level down. */
  #findAnswer(data: JsonObject): JsonObject {
    if (this.#protocol === 'messages') return asObject(data['message']) ?? data;
    if (this.#protocol === 'responses') return asObject(data['response']) ?? data;
    return data;
  }

  #parseCounts(usage: JsonObject, data: JsonObject): TokenCounts {
    if (this.#protocol === 'chat') return parseChatCounts(usage);
    if (this.#protocol === 'responses') return parseResponsesCounts(usage);
    const counts = parseMessagesCounts(usage);
    // The message that starts a stream counts only the first output, which must not be taken for the total.
    return asObject(data['message']) === null ? counts : { ...counts, output: null };
  }

  #readError(data: JsonObject, answer: JsonObject): void {
    const error = asObject(data['error']) ?? asObject(answer['error']);
    // A Responses stream reports an error as an event that is itself the error.
    const found = error ?? (data['type'] === 'error' ? { code: data['code'] } : null);
    if (found === null) return;
    this.#failed = true;
    const code =
      typeof found['code'] === 'number' ? String(found['code']) : parseName(found['code']);
    this.#errorCode ??= code ?? parseName('type' in found ? found['type'] : null);
  }
}
