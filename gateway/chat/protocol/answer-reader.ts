import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Answer, TextProtocol } from '../../../shared/chat.ts';
import { type ParsedAnswer, parseAnswerEvent, type ReportedError } from './parse-answer.ts';
import { asObject, tryParseJson } from '../../lib/json-object.ts';

/** What came since the last time. */
export interface AnswerDelta {
  readonly text: string;
  readonly reasoning: string;
}

/** What an answer said about itself. */
export interface AnswerMetadata {
  readonly model: string | null;
  readonly finish: string | null;
  readonly cost: Answer['cost'];
  readonly error: ReportedError | null;
  /** What it turned out to be: an answer, nothing at all, a page for people, or something else. */
  readonly kind: 'answer' | 'empty' | 'page' | 'other';
}

/** The most of text and reasoning together, in UTF-16 units. */
export const MAX_TEXT = 8 * 1024 * 1024;
/** Of what is held at once: the last event of a Responses stream repeats the whole answer. */
const MAX_BUFFERED = 4 * MAX_TEXT;

const EVENT_STREAM_LINE = /^\s*(?:data|event|id|retry)?:/u;

/**
 * Reads an answer as it comes, an event stream of any of the three protocols or one JSON document. Never throws, whatever the bytes are,
 * and holds a bounded amount of them.
 */
export class AnswerReader {
  readonly #protocol: TextProtocol;
  readonly #streamed: boolean;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MAX_BUFFERED,
    onEvent: (event) => this.#onEvent(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') this.#tooLong = true;
    },
  });
  #buffered = '';
  #text = '';
  #reasoning = '';
  /** Of text and reasoning so far, and of the text alone. */
  #length = { all: 0, text: 0, reasoning: 0 };
  #metadata: AnswerMetadata = { model: null, finish: null, cost: null, error: null, kind: 'empty' };
  #last = false;
  #tooLong = false;

  constructor(protocol: TextProtocol, contentType: string | null) {
    this.#protocol = protocol;
    this.#streamed = /^\s*text\/event-stream\b/iu.test(contentType ?? '');
  }

  /** Nothing follows what was read: its last event was seen. */
  get isAtEnd(): boolean {
    return this.#last;
  }

  /** Whether it was said that the answer is complete. A chat stream also says so by the reason why it finished. */
  get isComplete(): boolean {
    return this.#last || this.#metadata.finish !== null;
  }

  /** More came than is held; the rest is not read. */
  get isTooLong(): boolean {
    return this.#tooLong;
  }

  get metadata(): AnswerMetadata {
    return this.#metadata;
  }

  push(bytes: Uint8Array): AnswerDelta {
    this.#append(this.#decoder.decode(bytes, { stream: true }));
    return this.#takeDelta();
  }

  /** Says that nothing more comes. */
  end(): AnswerDelta {
    this.#append(this.#decoder.decode());
    if (this.#streamed) this.#feed('\n\n');
    else this.#readBuffered();
    return this.#takeDelta();
  }

  #append(text: string): void {
    if (this.#tooLong || text === '') return;
    if (this.#streamed) {
      this.#feed(text);
      return;
    }
    this.#buffered += text;
    this.#tooLong = this.#buffered.length > MAX_BUFFERED;
  }

  #feed(text: string): void {
    if (!this.#tooLong && !this.#last) this.#parser.feed(text);
  }

  /** One document. Some services send an event stream without saying so. */
  #readBuffered(): void {
    const buffered = this.#buffered;
    this.#buffered = '';
    if (this.#tooLong || buffered.trim() === '') return;
    const fields = asObject(tryParseJson(buffered));
    if (fields !== null) {
      this.#apply(parseAnswerEvent(this.#protocol, fields, undefined));
      this.#last = true;
    } else if (EVENT_STREAM_LINE.test(buffered)) {
      this.#feed(`${buffered}\n\n`);
    } else {
      const kind = /^\s*</u.test(buffered) ? 'page' : 'other';
      this.#metadata = { ...this.#metadata, kind };
    }
  }

  #onEvent({ event, data }: EventSourceMessage): void {
    if (this.#last) return;
    // Spec section 6.1: not JSON, and the end.
    if (data.trim() === '[DONE]') {
      this.#last = true;
      return;
    }
    const fields = asObject(tryParseJson(data));
    if (fields !== null) this.#apply(parseAnswerEvent(this.#protocol, fields, event));
  }

  #apply(parsed: ParsedAnswer): void {
    const { model, finish, cost, error } = this.#metadata;
    this.#metadata = {
      kind: 'answer',
      model: model ?? parsed.model ?? null,
      finish: parsed.finish ?? finish,
      cost: parsed.cost ?? cost,
      error: error ?? parsed.error ?? null,
    };
    this.#last ||= parsed.last === true || this.#metadata.error !== null;
    this.#add('text', parsed.text ?? '');
    this.#add('reasoning', parsed.reasoning ?? '');
    if (this.#length.text === 0) this.#add('text', parsed.isComplete?.text ?? '');
    if (this.#length.reasoning === 0) this.#add('reasoning', parsed.isComplete?.reasoning ?? '');
  }

  #add(kind: 'text' | 'reasoning', more: string): void {
    if (more === '') return;
    const room = MAX_TEXT - this.#length.all;
    const fits = more.length > room ? more.slice(0, room) : more;
    this.#tooLong ||= fits.length < more.length;
    if (kind === 'text') this.#text += fits;
    else this.#reasoning += fits;
    this.#length[kind] += fits.length;
    this.#length.all += fits.length;
  }

  #takeDelta(): AnswerDelta {
    const piece = { text: this.#text, reasoning: this.#reasoning };
    this.#text = '';
    this.#reasoning = '';
    return piece;
  }
}
