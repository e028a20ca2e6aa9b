import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Answer, TextProtocol } from '../../../shared/chat/chat.ts';
import { type ParsedAnswer, parseAnswerEvent, type ReportedError } from './parse-answer.ts';
import { asObject, tryParseJson } from '../../lib/json-object.ts';

/** The text that arrived since the last delta. */
export interface AnswerDelta {
  readonly text: string;
  readonly reasoning: string;
}

/** Facts that an answer reports about itself. */
export interface AnswerMetadata {
  readonly model: string | null;
  readonly finish: string | null;
  readonly cost: Answer['cost'];
  readonly error: ReportedError | null;
  /** Kind of the content: an answer, nothing, an HTML page, or something else. */
  readonly kind: 'answer' | 'empty' | 'page' | 'other';
}

/** Maximum length of text and reasoning together, in UTF-16 units. */
export const MAX_TEXT = 8 * 1024 * 1024;
/** Maximum buffered length: the last event of a Responses stream repeats the whole answer. */
const MAX_BUFFERED = 4 * MAX_TEXT;

const EVENT_STREAM_LINE = /^\s*(?:data|event|id|retry)?:/u;

/**
 * Parses an answer as it arrives: an event stream of any of the three protocols, or one JSON document. Never throws, and
 * buffers a bounded amount.
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
  /** Lengths so far, of both texts and of each. */
  #length = { all: 0, text: 0, reasoning: 0 };
  #metadata: AnswerMetadata = { model: null, finish: null, cost: null, error: null, kind: 'empty' };
  #last = false;
  #tooLong = false;

  constructor(protocol: TextProtocol, contentType: string | null) {
    this.#protocol = protocol;
    this.#streamed = /^\s*text\/event-stream\b/iu.test(contentType ?? '');
  }

  /** Whether the last event was seen, so that nothing follows. */
  get isAtEnd(): boolean {
    return this.#last;
  }

  /** Whether the answer was reported as complete. In a chat stream a finish reason also counts. */
  get isComplete(): boolean {
    return this.#last || this.#metadata.finish !== null;
  }

  /** Whether more arrived than fits; the rest is not parsed. */
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

  /** Must be called after the last bytes. */
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

  /** Parses one document. Some services send an event stream without its content type. */
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
    // `[DONE]` is not JSON, and ends the stream (spec section 6.1).
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
    const remaining = MAX_TEXT - this.#length.all;
    const fits = more.length > remaining ? more.slice(0, remaining) : more;
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
