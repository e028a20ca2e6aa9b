import { ByteChunks } from '../lib/byte-chunks.ts';
import { CapturedBody, type CaptureBudget, type CaptureKind } from './captured-body.ts';

/** What the headers of a body say about it. */
export interface BodyHeaders {
  readonly contentType: string | null;
  /** `Content-Encoding`; `null` when there is none. */
  readonly coding: string | null;
}

type Body = Buffer | ByteChunks;

const NO_HEADERS: BodyHeaders = { contentType: null, coding: null };
/** Types of content of which only the size is kept. */
const MEDIA = /^\s*(?:video|audio|image|font)\/|^\s*application\/(?:octet-stream|zip|pdf)\b/i;

/** Collects the bodies of one exchange while they pass. */
export class CapturedExchange {
  readonly #budget: CaptureBudget;
  /** The request of the client while it is the one that was sent, or nothing was sent yet. */
  #receivedBody: Body | null = null;
  #received: CapturedBody | null = null;
  #sent: CapturedBody | null = null;
  #returned: CapturedBody | null = null;
  #requestHeaders = NO_HEADERS;
  #responseHeaders = NO_HEADERS;

  constructor(budget: CaptureBudget) {
    this.#budget = budget;
  }

  /** The request as the client sent it; `null` when it was sent on unchanged. */
  get received(): CapturedBody | null {
    return this.#received;
  }

  /** The request as the service got it. */
  get sent(): CapturedBody | null {
    return this.#sent;
  }

  /** The response as the client got it. */
  get returned(): CapturedBody | null {
    return this.#returned;
  }

  get requestHeaders(): BodyHeaders {
    return this.#requestHeaders;
  }

  get responseHeaders(): BodyHeaders {
    return this.#responseHeaders;
  }

  /** Whether a body was dropped because too much was captured at the same time. */
  get isIncomplete(): boolean {
    return [this.#received, this.#sent, this.#returned].some((body) => body?.isDropped === true);
  }

  /** Takes the request of the client, decoded, before it is repaired. */
  receive(body: Body, contentType: string | null): void {
    this.#receivedBody = body;
    this.#received = this.#capture(body);
    this.#requestHeaders = { contentType, coding: null };
  }

  /** Takes the request as it is sent. When it is sent again, the last one counts. */
  send(body: Body): void {
    const received = this.#receivedBody;
    if (received !== null && isEqual(body, received)) {
      if (this.#received === null) return;
      // What was received is what was sent, so one capture has both.
      this.#sent?.release();
      this.#sent = this.#received;
      this.#received = null;
      return;
    }
    this.#sent?.release();
    this.#sent = this.#capture(body);
    if (received === null) return;
    // It may have been sent unchanged before.
    this.#received ??= this.#capture(received);
    this.#receivedBody = null;
  }

  /** Begins the response. The chunks that the client gets are pushed to the returned body. */
  respond(headers: BodyHeaders, isEventStream: boolean): CapturedBody {
    this.#returned?.release();
    const isMedia = MEDIA.test(headers.contentType ?? '');
    const kind: CaptureKind = isMedia ? 'counted' : isEventStream ? 'events' : 'whole';
    this.#returned = new CapturedBody(this.#budget, kind);
    this.#responseHeaders = headers;
    return this.#returned;
  }

  /** Drops everything. */
  release(): void {
    for (const body of [this.#received, this.#sent, this.#returned]) body?.release();
    this.#receivedBody = null;
  }

  #capture(body: Body): CapturedBody {
    const captured = new CapturedBody(this.#budget);
    for (const chunk of body instanceof ByteChunks ? body.chunks : [body]) captured.push(chunk);
    return captured;
  }
}

/** Whether two bodies are the same. Long ones in pieces are compared by identity only. */
function isEqual(one: Body, other: Body): boolean {
  if (one === other) return true;
  return Buffer.isBuffer(one) && Buffer.isBuffer(other) && one.equals(other);
}
