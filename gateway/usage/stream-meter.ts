import type { TextProtocol } from '../../shared/chat/chat.ts';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { ChoiceTracker } from './choice-tracker.ts';
import { parseJsonObject } from '../lib/json-object.ts';
import { AnswerFacts } from './answer-facts.ts';
import type { Reservation } from '../lib/memory-budget.ts';
import type { StreamEnd, Measurement, Meter } from './meter.ts';

/** Maximum characters of one event. The last event of a Responses stream repeats the whole answer, so this is generous. */
const MAX_EVENT = 8 * 1024 * 1024;
/** Bytes of an event that are not counted. */
const UNCOUNTED = 64 * 1024;
/** Number of events that are parsed for the model before it counts as absent. */
const HEAD_EVENTS = 5;
/** Inside a JSON string the quotes would be escaped, so text written by a model does not match. */
const RELEVANT_DATA =
  /"(?:usage|error)"\s*:\s*\{|"finish_reason"\s*:\s*"[^"]|"type"\s*:\s*"(?:message_st|error|response\.(?:completed|incomplete|failed|cancelled|done)")/;
/** The spec shows none for Responses streams: these are the ones that services send in practice. */
const LAST_EVENTS: ReadonlySet<unknown> = new Set([
  'message_stop',
  'response.completed',
  'response.incomplete',
  'response.failed',
  'response.cancelled',
  'response.done',
  'error',
]);
const RESPONSE_EVENT = /^response\.|"type"\s*:\s*"response\./;

/** Measures an event stream (spec section 6) as it passes; parses as few of its events as possible. */
export class StreamMeter implements Meter {
  readonly #protocol: TextProtocol | null;
  readonly #facts: AnswerFacts;
  readonly #memory: Reservation;
  /** Bytes since the last complete event; `#counted` of them are reserved. */
  #pending = 0;
  #counted = 0;
  readonly #choices = new ChoiceTracker();
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT,
    onEvent: (event) => this.#onEvent(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') this.#tooLarge = true;
    },
  });
  #lastSeen = false;
  /** Whether the protocol of the stream has a last event, so that it can be missing. */
  #hasLast: boolean;
  /** Whether an event was too large to parse: the end is unknown from then on. */
  #tooLarge = false;
  #ended = false;
  #parsedEvents = 0;

  constructor(protocol: TextProtocol | null, memory: Reservation) {
    this.#memory = memory;
    this.#protocol = protocol;
    this.#facts = new AnswerFacts(protocol);
    this.#hasLast = protocol === 'chat' || protocol === 'messages';
  }

  get ending(): StreamEnd {
    if (this.#lastSeen) return 'seen';
    if (this.#tooLarge) return 'unknown';
    if (this.#choices.allFinished) return 'seen';
    return this.#hasLast ? 'missing' : 'unknown';
  }

  push(chunk: Uint8Array): void {
    if (!this.#tooLarge && !this.#hasRoom(chunk.length)) this.#tooLarge = true;
    if (!this.#tooLarge) this.#parser.feed(this.#decoder.decode(chunk, { stream: true }));
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (!this.#tooLarge) this.#parser.feed(`${this.#decoder.decode()}\n\n`);
  }

  finish(): Measurement {
    this.end();
    return this.#facts.measurement;
  }

  /** Ordinary events are too short to be counted. */
  #hasRoom(bytes: number): boolean {
    this.#pending += bytes;
    if (this.#pending <= UNCOUNTED) return true;
    const more = this.#pending - this.#counted;
    if (!this.#memory.tryGrow(more)) return false;
    this.#counted += more;
    return true;
  }

  #onEvent({ event, data }: EventSourceMessage): void {
    this.#pending = 0;
    this.#memory.shrink(this.#counted);
    this.#counted = 0;
    // `[DONE]` is not JSON, and ends the stream (spec section 6.1).
    if (data.trim() === '[DONE]' || LAST_EVENTS.has(event)) this.#lastSeen = true;
    // The spec does not show the end of a Responses stream; a stream with these events ends with one of them.
    if (this.#protocol === 'responses' && !this.#hasLast) {
      this.#hasLast = RESPONSE_EVENT.test(event ?? '') || RESPONSE_EVENT.test(data);
    }
    if (!this.#isRelevant(event, data)) return;
    this.#parsedEvents += 1;
    const fields = parseJsonObject(data);
    if (fields === null) return;
    this.#facts.read(fields);
    if (this.#protocol === 'chat') this.#choices.read(fields);
    if (this.#facts.failed || LAST_EVENTS.has(fields['type'])) this.#lastSeen = true;
  }

  #isRelevant(event: string | undefined, data: string): boolean {
    if (LAST_EVENTS.has(event) || RELEVANT_DATA.test(data)) return true;
    if (this.#protocol === 'chat' && this.#choices.mayShowNewChoice(data)) return true;
    return this.#facts.model === null && this.#parsedEvents < HEAD_EVENTS;
  }
}
