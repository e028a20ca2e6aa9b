import type { Usage } from '../../shared/usage.ts';
import {
  chatCounts,
  type Counts,
  mergeCounts,
  messagesCounts,
  NO_COUNTS,
  responsesCounts,
  usageOf,
  withCacheInInput,
} from './counts.ts';
import { type Fields, fieldsOf, nameOf } from './fields.ts';
import type { Measured, Protocol } from './meter.ts';

/** What an answer, or the events of a stream one after the other, say about the exchange. */
export class Findings {
  readonly #protocol: Protocol | null;
  #counts: Counts = NO_COUNTS;
  #model: string | null = null;
  #failed = false;
  #errorCode: string | null = null;

  constructor(protocol: Protocol | null) {
    this.#protocol = protocol;
  }

  get model(): string | null {
    return this.#model;
  }

  /** The service reported an error. */
  get failed(): boolean {
    return this.#failed;
  }

  get measured(): Measured {
    return { usage: this.#usage, modelServed: this.#model, errorCode: this.#errorCode };
  }

  get #usage(): Usage {
    const messages = this.#protocol === 'messages';
    return usageOf(messages ? withCacheInInput(this.#counts) : this.#counts);
  }

  /** Reads an answer, or the data of one event. */
  read(data: Fields): void {
    const answer = this.#answerIn(data);
    this.#readError(data, answer);
    if (this.#protocol === null) return;
    this.#model ??= nameOf(answer['model']);
    const usage = fieldsOf(answer['usage'] ?? data['usage']);
    if (usage !== null) this.#counts = mergeCounts(this.#counts, this.#countsIn(usage, data));
  }

  /** The object that has the model and the usage: events hold it one level down. */
  #answerIn(data: Fields): Fields {
    if (this.#protocol === 'messages') return fieldsOf(data['message']) ?? data;
    if (this.#protocol === 'responses') return fieldsOf(data['response']) ?? data;
    return data;
  }

  #countsIn(usage: Fields, data: Fields): Counts {
    if (this.#protocol === 'chat') return chatCounts(usage);
    if (this.#protocol === 'responses') return responsesCounts(usage);
    const counts = messagesCounts(usage);
    // The message that starts a stream counts the output of its first moment only: not to be taken for the whole.
    return fieldsOf(data['message']) === null ? counts : { ...counts, output: null };
  }

  #readError(data: Fields, answer: Fields): void {
    const error = fieldsOf(data['error']) ?? fieldsOf(answer['error']);
    // A Responses stream reports an error as an event that is the error itself.
    const found = error ?? (data['type'] === 'error' ? { code: data['code'] } : null);
    if (found === null) return;
    this.#failed = true;
    const code = typeof found['code'] === 'number' ? String(found['code']) : nameOf(found['code']);
    this.#errorCode ??= code ?? nameOf('type' in found ? found['type'] : null);
  }
}
