import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type Fields, fieldsOf, parseFields } from './fields.ts';
import { Findings, type Protocol } from './findings.ts';
import type { Measured, Meter } from './meter.ts';

/** Characters of one event. The last event of a Responses stream repeats the whole answer, so this is generous. */
const MAX_EVENT = 8 * 1024 * 1024;
/** How many events are looked into for the model and the id before they are taken to be absent. */
const HEAD_EVENTS = 5;
/** Inside a JSON string the quotes would be escaped, so text that a model writes does not match. */
const MATTERS =
  /"(?:usage|error)"\s*:\s*\{|"finish_reason"\s*:\s*"|"type"\s*:\s*"(?:message_st|error|response\.(?:completed|incomplete|failed))/;
const LAST_EVENTS: ReadonlySet<unknown> = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
]);

/** Measures an event stream (spec section 6) as it passes; parses as few of its events as possible. */
export class StreamMeter implements Meter {
  readonly #protocol: Protocol | null;
  readonly #findings: Findings;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: (event) => this.#see(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') this.#tooLarge = true;
    },
  });
  #lastSeen = false;
  #tooLarge = false;
  #lookedInto = 0;

  constructor(protocol: Protocol | null) {
    this.#protocol = protocol;
    this.#findings = new Findings(protocol);
  }

  /** Also true once an event was too large to look into: from there on nobody can tell. */
  get complete(): boolean {
    return this.#lastSeen || this.#tooLarge;
  }

  get responseId(): string | null {
    return this.#findings.id;
  }

  push(chunk: Uint8Array): void {
    if (!this.#tooLarge) this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
  }

  finish(): Promise<Measured> {
    // A last event without its blank line is still an event to us.
    if (!this.#tooLarge) this.#parser.feed(`${this.#decoder.decode()}\n\n`);
    const findings = this.#findings;
    const good = this.complete || this.#protocol === 'responses' || this.#protocol === null;
    return Promise.resolve({
      usage: findings.usage,
      modelServed: findings.model,
      ended: findings.failed ? 'failed' : good ? 'complete' : 'incomplete',
      errorCode: findings.errorCode,
      responseId: findings.id,
    });
  }

  #see({ event, data }: EventSourceMessage): void {
    // Spec section 6.1: not JSON, and the end.
    if (data.trim() === '[DONE]' || LAST_EVENTS.has(event)) this.#lastSeen = true;
    if (!this.#wants(event, data)) return;
    this.#lookedInto += 1;
    const fields = parseFields(data);
    if (fields === null) return;
    this.#findings.read(fields);
    if (this.#isLast(fields)) this.#lastSeen = true;
  }

  #wants(event: string | undefined, data: string): boolean {
    if (LAST_EVENTS.has(event) || MATTERS.test(data)) return true;
    const { model, id } = this.#findings;
    return (model === null || id === null) && this.#lookedInto < HEAD_EVENTS;
  }

  #isLast(fields: Fields): boolean {
    if (this.#findings.failed || LAST_EVENTS.has(fields['type'])) return true;
    const choices = fields['choices'];
    return (
      Array.isArray(choices) &&
      choices.some((choice) => typeof fieldsOf(choice)?.['finish_reason'] === 'string')
    );
  }
}
