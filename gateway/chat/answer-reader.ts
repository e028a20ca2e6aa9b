import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { Answer, TextProtocol } from '../../shared/chat.ts';
import { type Heard, hear, type SaidError } from './heard.ts';
import { fieldsOf, readJson } from './json.ts';

/** What came since the last time. */
export interface Piece {
  readonly text: string;
  readonly reasoning: string;
}

/** What an answer said about itself. */
export interface Findings {
  readonly model: string | null;
  readonly finish: string | null;
  readonly cost: Answer['cost'];
  readonly error: SaidError | null;
  /** What it turned out to be: an answer, nothing at all, a page for people, or something else. */
  readonly kind: 'answer' | 'empty' | 'page' | 'other';
}

/** The most of text and reasoning together, in UTF-16 units. */
export const MOST_TEXT = 8 * 1024 * 1024;
/** Of what is held at once: the last event of a Responses stream repeats the whole answer. */
const MOST_HELD = 4 * MOST_TEXT;

const EVENTS = /^\s*(?:data|event|id|retry)?:/u;

/**
 * Reads an answer as it comes, an event stream of any of the three protocols or one JSON document. Never throws, whatever the bytes are,
 * and holds a bounded amount of them.
 */
export class AnswerReader {
  readonly #protocol: TextProtocol;
  readonly #streamed: boolean;
  readonly #decoder = new TextDecoder();
  readonly #parser = createParser({
    maxBufferSize: MOST_HELD,
    onEvent: (event) => this.#see(event),
    onError: (error) => {
      if (error.type === 'max-buffer-size-exceeded') this.#tooLong = true;
    },
  });
  #held = '';
  #text = '';
  #reasoning = '';
  /** Of text and reasoning so far, and of the text alone. */
  #length = { all: 0, text: 0, reasoning: 0 };
  #findings: Findings = { model: null, finish: null, cost: null, error: null, kind: 'empty' };
  #last = false;
  #tooLong = false;

  constructor(protocol: TextProtocol, contentType: string | null) {
    this.#protocol = protocol;
    this.#streamed = /^\s*text\/event-stream\b/iu.test(contentType ?? '');
  }

  /** Nothing follows what was read: its last event was seen. */
  get ended(): boolean {
    return this.#last;
  }

  /** Whether it was said that the answer is complete. A chat stream also says so by the reason why it finished. */
  get whole(): boolean {
    return this.#last || this.#findings.finish !== null;
  }

  /** More came than is held; the rest is not read. */
  get tooLong(): boolean {
    return this.#tooLong;
  }

  get findings(): Findings {
    return this.#findings;
  }

  push(bytes: Uint8Array): Piece {
    this.#take(this.#decoder.decode(bytes, { stream: true }));
    return this.#piece();
  }

  /** Says that nothing more comes. */
  end(): Piece {
    this.#take(this.#decoder.decode());
    if (this.#streamed) this.#feed('\n\n');
    else this.#readHeld();
    return this.#piece();
  }

  #take(text: string): void {
    if (this.#tooLong || text === '') return;
    if (this.#streamed) {
      this.#feed(text);
      return;
    }
    this.#held += text;
    this.#tooLong = this.#held.length > MOST_HELD;
  }

  #feed(text: string): void {
    if (!this.#tooLong && !this.#last) this.#parser.feed(text);
  }

  /** One document. Some services send an event stream without saying so. */
  #readHeld(): void {
    const held = this.#held;
    this.#held = '';
    if (this.#tooLong || held.trim() === '') return;
    const fields = fieldsOf(readJson(held));
    if (fields !== null) {
      this.#hear(hear(this.#protocol, fields, undefined));
      this.#last = true;
    } else if (EVENTS.test(held)) {
      this.#feed(`${held}\n\n`);
    } else {
      const kind = /^\s*</u.test(held) ? 'page' : 'other';
      this.#findings = { ...this.#findings, kind };
    }
  }

  #see({ event, data }: EventSourceMessage): void {
    if (this.#last) return;
    // Spec section 6.1: not JSON, and the end.
    if (data.trim() === '[DONE]') {
      this.#last = true;
      return;
    }
    const fields = fieldsOf(readJson(data));
    if (fields !== null) this.#hear(hear(this.#protocol, fields, event));
  }

  #hear(heard: Heard): void {
    const { model, finish, cost, error } = this.#findings;
    this.#findings = {
      kind: 'answer',
      model: model ?? heard.model ?? null,
      finish: heard.finish ?? finish,
      cost: heard.cost ?? cost,
      error: error ?? heard.error ?? null,
    };
    this.#last ||= heard.last === true || this.#findings.error !== null;
    this.#add('text', heard.text ?? '');
    this.#add('reasoning', heard.reasoning ?? '');
    if (this.#length.text === 0) this.#add('text', heard.whole?.text ?? '');
    if (this.#length.reasoning === 0) this.#add('reasoning', heard.whole?.reasoning ?? '');
  }

  #add(what: 'text' | 'reasoning', more: string): void {
    if (more === '') return;
    const room = MOST_TEXT - this.#length.all;
    const fits = more.length > room ? more.slice(0, room) : more;
    this.#tooLong ||= fits.length < more.length;
    if (what === 'text') this.#text += fits;
    else this.#reasoning += fits;
    this.#length[what] += fits.length;
    this.#length.all += fits.length;
  }

  #piece(): Piece {
    const piece = { text: this.#text, reasoning: this.#reasoning };
    this.#text = '';
    this.#reasoning = '';
    return piece;
  }
}
