import type { ExchangeId, RunId } from '../../shared/exchange/exchange.ts';
import type { Sender } from '../../shared/exchange/sender.ts';
import type { StepFacts } from '../../shared/run/run.ts';
import type { CapturedBody, CapturedParts } from './captured-body.ts';
import type { BodyHeaders, CapturedExchange } from './captured-exchange.ts';
import type { BatchedBody, BatchedExchange, BodySide } from './protocol.ts';

/** The facts of an exchange that its bodies are stored with. */
export interface ExchangeFacts {
  readonly id: ExchangeId;
  /** Unix time in milliseconds. */
  readonly startedAt: number;
  /** Milliseconds of the monotonic clock. */
  readonly openedAt: number;
  readonly clientId: string | null;
  readonly conversation: string | null;
  /** The run of its session; `null` when the client names none. */
  readonly run: RunId | null;
  readonly sender: Sender | null;
  /** Whether it was sent to the service. */
  readonly isSent: boolean;
  /** What a step of a run has of it; `null` when it asked no model for an answer. */
  readonly step: StepFacts | null;
}

const MIN_SIZE = 16 * 1024;
const NO_MARKS: readonly number[] = [];

/** Times are rounded to tenths of a millisecond, as they are stored. */
const TIMES_PER_MS = 10;

/** Copies captured bodies into one buffer, which another thread takes over. */
export class BatchBuilder {
  #bytes: Uint8Array<ArrayBuffer>;
  #length = 0;
  readonly #exchanges: BatchedExchange[] = [];

  /** `expected`: the likely number of bytes, so that the buffer need not grow. */
  constructor(expected = 0) {
    this.#bytes = new Uint8Array(Math.max(MIN_SIZE, expected));
  }

  get length(): number {
    return this.#length;
  }

  get exchanges(): number {
    return this.#exchanges.length;
  }

  add(facts: ExchangeFacts, captured: CapturedExchange): void {
    const { id, startedAt, openedAt, clientId, conversation, run, sender, step } = facts;
    const { received, sent, returned, requestHeaders, responseHeaders } = captured;
    const bodies: BatchedBody[] = [];
    const add = (side: BodySide, body: CapturedBody | null, headers: BodyHeaders): void => {
      const parts = body?.parts() ?? null;
      if (parts === null || parts.bytes === 0) return;
      const { headBytes, tailBytes, bytes } = parts;
      const marks = parts.marks.length === 0 ? NO_MARKS : toPassed(parts.marks, openedAt);
      const { contentType, coding } = headers;
      const at = this.#copy(parts);
      bodies.push({ side, at, headBytes, tailBytes, bytes, contentType, coding, marks });
    };
    add('received', received, requestHeaders);
    add('sent', sent, requestHeaders);
    add('returned', returned, responseHeaders);
    if (bodies.length === 0) return;
    const named = { client: clientId, conversation, run, sender };
    this.#exchanges.push({ id, startedAt, ...named, step, bodies });
  }

  /** Returns everything added. The builder must not be used any more. */
  finish(): { readonly bytes: Uint8Array<ArrayBuffer>; readonly exchanges: string } {
    return { bytes: this.#bytes, exchanges: JSON.stringify(this.#exchanges) };
  }

  /** Copies the kept bytes of a body. Returns their offset. */
  #copy({ head, tail, headBytes, tailBytes }: CapturedParts): number {
    const at = this.#length;
    this.#reserve(headBytes + tailBytes);
    for (const chunks of [head, tail]) {
      for (const chunk of chunks) {
        this.#bytes.set(chunk, this.#length);
        this.#length += chunk.length;
      }
    }
    return at;
  }

  #reserve(bytes: number): void {
    const needed = this.#length + bytes;
    if (needed <= this.#bytes.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}

/** Converts times of the monotonic clock to times after the beginning of the exchange. */
function toPassed(marks: readonly number[], openedAt: number): number[] {
  return marks.map((value, place) =>
    place % 2 === 0 ? value : Math.round(TIMES_PER_MS * (value - openedAt)) / TIMES_PER_MS,
  );
}
