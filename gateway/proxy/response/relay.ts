import { isFree } from '../../../shared/money/charge.ts';
import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { CapturedBody } from '../../bodies/bodies.ts';
import type { UsageFilter, Meter } from '../../usage/usage.ts';
import type { CancelSignal } from '../../http/cancel-signal.ts';
import { UpstreamBody, type BodyReader } from '../../http/upstream-body.ts';
import { ClientDisconnectedError } from '../../http/errors.ts';

import type { Problem } from '../../../shared/problem.ts';
import { findLastEventEnd, type StreamLimit } from './stream-limit.ts';
import type { KeyMask } from '../../keys/key-mask.ts';

/** The end of a relayed response. */
export interface RelayResult {
  /** `client-closed`: the client left before the end. `broken`: the service stopped in the middle. `cut`: it exceeded a limit. */
  readonly ending: 'complete' | 'client-closed' | 'broken' | 'cut';
  /** Why it was cut. */
  readonly problem: Problem | null;
  readonly bytesOut: number;
  /** Milliseconds on the monotonic clock; `null` when no byte of a body came. */
  readonly firstByteAt: number | null;
}

export interface RelayOptions {
  readonly body: UpstreamBody;
  readonly response: ServerResponse;
  readonly signal: CancelSignal;
  readonly meter: Meter | null;
  /** Takes out what the client did not ask for; `null` when that is nothing. */
  readonly filter: UsageFilter | null;
  /** Counts a stream for limits, and ends one that exceeds them; `null` where there are none. */
  readonly limit: StreamLimit | null;
  /** Takes the body as it passes; `null` when bodies are not kept. */
  readonly captured: CapturedBody | null;
  readonly mask: KeyMask;
  /** Set for event streams: the idle time after which a comment line is written into them. */
  readonly stream: { readonly heartbeatMs: number } | null;
}

/**
 * Relays a body chunk by chunk, with back-pressure. After a broken response the connection is cut, as the service did: clients recover
 * from that, but not from a response that seems complete (decision 3). Never rejects.
 */
export function relay(options: RelayOptions): Promise<RelayResult> {
  return new Promise((resolve) => {
    options.body.read(new RelaySession(options, resolve));
  });
}

class RelaySession implements BodyReader {
  readonly #options: RelayOptions;
  readonly #resolve: (relayed: RelayResult) => void;
  readonly #heartbeat: Heartbeat | null;
  #bytesOut = 0;
  #firstByteAt: number | null = null;
  /** The limit that it exceeds. */
  #problem: Problem | null = null;
  /** Chunks that had come before are still passed to this then. */
  #isCut = false;

  constructor(options: RelayOptions, resolve: (relayed: RelayResult) => void) {
    this.#options = options;
    this.#resolve = resolve;
    const { response, body, stream } = options;
    response.on('drain', () => body.resume());
    this.#heartbeat =
      stream === null
        ? null
        : new Heartbeat(stream.heartbeatMs, (comment) => {
            if (!response.writableNeedDrain) response.write(comment);
          });
    // A body that is already complete cannot fail, but its client can still leave.
    if (options.signal.aborted) this.#onClientClosed();
    else options.signal.addEventListener('abort', () => this.#onClientClosed());
    // The head of a stream must reach the client before its first event does.
    if (stream !== null) response.flushHeaders();
  }

  data(chunk: Buffer): boolean {
    if (this.#isCut) return false;
    this.#firstByteAt ??= performance.now();
    const { meter, filter, limit } = this.#options;
    meter?.push(chunk);
    const bytes = filter?.push(chunk) ?? chunk;
    this.#problem ??= limit?.check(this.#bytesOut + bytes.length) ?? null;
    // A whole response is none that is cut.
    return this.#problem === null || meter?.ending === 'seen'
      ? this.#write(bytes)
      : this.#cutAfter(bytes, this.#problem);
  }

  /** Ends the stream after the last whole event of `bytes`; where there is none, it goes on. */
  #cutAfter(bytes: Buffer, problem: Problem): boolean {
    const { limit, body, response } = this.#options;
    const end = findLastEventEnd(bytes);
    if (end === -1 || limit === null) return this.#write(bytes);
    this.#write(bytes.subarray(0, end));
    this.#write(limit.formatEvent(problem));
    response.end();
    this.#finish('cut');
    this.#isCut = true;
    body.abort(new Error('The response exceeded a limit.'));
    return false;
  }

  end(): void {
    if (this.#isCut) return;
    const { stream, meter } = this.#options;
    meter?.end();
    if (stream !== null && meter?.ending === 'missing') this.#abort();
    else this.#complete();
  }

  fail(): void {
    if (this.#isCut) return;
    if (this.#options.signal.aborted) this.#finish('client-closed');
    else if (this.#options.meter?.ending === 'seen') this.#complete();
    else this.#abort();
  }

  #write(bytes: Buffer): boolean {
    if (bytes.length === 0) return true;
    const { response, mask, captured } = this.#options;
    this.#bytesOut += bytes.length;
    const wantsMore = response.write(mask.bytes(bytes));
    this.#heartbeat?.onChunk(bytes);
    captured?.push(bytes);
    return wantsMore;
  }

  #writeRest(): void {
    const rest = this.#options.filter?.end();
    if (rest !== undefined) this.#write(rest);
  }

  #onClientClosed(): void {
    this.#options.body.abort(new ClientDisconnectedError('The client disconnected.'));
    this.#finish('client-closed');
  }

  #complete(): void {
    this.#writeRest();
    this.#options.response.end();
    this.#finish('complete');
  }

  #abort(): void {
    this.#writeRest();
    abortResponse(this.#options.response);
    this.#finish('broken');
  }

  #finish(ending: RelayResult['ending']): void {
    this.#heartbeat?.stop();
    const problem = ending === 'cut' ? this.#problem : null;
    this.#resolve({ ending, problem, bytesOut: this.#bytesOut, firstByteAt: this.#firstByteAt });
  }
}

/** Describes a broken response for the record; `service` is the stable id of the service. */
export function describeBrokenResponse(service: string): string {
  const charge = isFree(service) ? '' : ' The received part may be charged.';
  return `The service ended this response before it was complete.${charge} Send the request again if you need the rest.`;
}

/** Decodes a body (gzip, br …) chunk by chunk, with back-pressure. What arrived before a failure is decoded before it is passed on. */
export function decodeUpstreamBody(body: UpstreamBody, decoder: Duplex): UpstreamBody {
  const plain = new UpstreamBody({
    pause: () => decoder.pause(),
    resume: () => decoder.resume(),
    abort: (reason) => {
      decoder.destroy();
      body.abort(reason);
    },
  });
  let failure: Error | null = null;
  decoder.on('data', (chunk: Buffer) => plain.push(chunk));
  decoder.on('end', () => (failure === null ? plain.end() : plain.fail(failure)));
  decoder.on('error', (error) => {
    body.abort(error);
    plain.fail(failure ?? error);
  });
  decoder.on('drain', () => body.resume());
  body.read({
    data: (chunk) => decoder.write(chunk),
    end: () => decoder.end(),
    fail: (error) => {
      failure = error;
      decoder.end();
    },
  });
  return plain;
}

/**
 * Cuts the connection of an incomplete response once the bytes written so far are sent. In HTTP/1.0 a closed connection is a proper end
 * of a body (RFC 9112 section 6.3), so the connection is reset.
 */
function abortResponse(response: ServerResponse): void {
  // The callback of an empty write comes after everything written before.
  response.write('', () => {
    if (response.req.httpVersion === '1.0') response.socket?.resetAndDestroy();
    else response.destroy();
  });
}

const LINE_FEED = 0x0a;

/** The position of the last byte in an event stream. A comment may be written between lines only. */
export type StreamPosition = 'in-line' | 'between-lines' | 'between-events';

/** Finds the position after `tail`, the last four bytes of the stream or all of them. Line ends are LF or CRLF. */
export function findPosition(tail: Uint8Array): StreamPosition {
  const last = tail.length - 1;
  if (last < 0) return 'between-events';
  if (tail[last] !== LINE_FEED) return 'in-line';
  const before = tail[last - 1] === 0x0d ? last - 2 : last - 1;
  return before < 0 || tail[before] === LINE_FEED ? 'between-events' : 'between-lines';
}

/**
 * Keeps an idle event stream alive: after `idleMs` without a byte it writes a comment line, which clients ignore (spec section 6.1
 * rule 5), where the position in the stream allows it.
 */
export class Heartbeat {
  readonly #timer: NodeJS.Timeout;
  #tail: Uint8Array = new Uint8Array();

  constructor(idleMs: number, write: (comment: string) => void) {
    this.#timer = setInterval(() => {
      const position = findPosition(this.#tail);
      if (position === 'between-events') write(': keep-alive\n\n');
      else if (position === 'between-lines') write(': keep-alive\n');
    }, idleMs);
  }

  onChunk(chunk: Uint8Array): void {
    this.#tail = chunk.length >= 4 ? chunk.subarray(-4) : joinTails(this.#tail, chunk);
    this.#timer.refresh();
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}

function joinTails(before: Uint8Array, chunk: Uint8Array): Uint8Array {
  return Buffer.concat([before, chunk]).subarray(-4);
}
