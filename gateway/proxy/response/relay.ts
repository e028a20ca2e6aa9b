import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Meter } from '../../usage/usage.ts';
import { UpstreamBody, type BodyReader } from '../../http/upstream-body.ts';
import { ClientDisconnectedError } from '../../http/errors.ts';

import type { KeyMask } from '../../keys/key-mask.ts';

/** The end of a relayed response. */
export interface RelayResult {
  /** `client-closed`: the client left before the end. `broken`: the service stopped in the middle. */
  readonly ending: 'complete' | 'client-closed' | 'broken';
  readonly bytesOut: number;
  /** Milliseconds on the monotonic clock; `null` when no byte of a body came. */
  readonly firstByteAt: number | null;
}

export interface RelayOptions {
  readonly body: UpstreamBody;
  readonly response: ServerResponse;
  readonly signal: AbortSignal;
  readonly meter: Meter | null;
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
    this.#firstByteAt ??= performance.now();
    this.#bytesOut += chunk.length;
    const wantsMore = this.#options.response.write(this.#options.mask.bytes(chunk));
    this.#heartbeat?.onChunk(chunk);
    this.#options.meter?.push(chunk);
    return wantsMore;
  }

  end(): void {
    const { stream, meter } = this.#options;
    meter?.end();
    if (stream !== null && meter?.ending === 'missing') this.#abort();
    else this.#complete();
  }

  fail(): void {
    if (this.#options.signal.aborted) this.#finish('client-closed');
    else if (this.#options.meter?.ending === 'seen') this.#complete();
    else this.#abort();
  }

  #onClientClosed(): void {
    this.#options.body.abort(new ClientDisconnectedError('The client disconnected.'));
    this.#finish('client-closed');
  }

  #complete(): void {
    this.#options.response.end();
    this.#finish('complete');
  }

  #abort(): void {
    abortResponse(this.#options.response);
    this.#finish('broken');
  }

  #finish(ending: RelayResult['ending']): void {
    this.#heartbeat?.stop();
    this.#resolve({ ending, bytesOut: this.#bytesOut, firstByteAt: this.#firstByteAt });
  }
}

/** The recorded error of a broken response. */
export const BROKEN_RESPONSE_MESSAGE =
  'The service ended this response before it was complete. The received part may be charged. Send the request again if you need the rest.';

/** Decodes a body (gzip, br …) chunk by chunk, with back-pressure. */
export function decodeUpstreamBody(body: UpstreamBody, decoder: Duplex): UpstreamBody {
  const plain = new UpstreamBody({
    pause: () => decoder.pause(),
    resume: () => decoder.resume(),
    abort: (reason) => {
      decoder.destroy();
      body.abort(reason);
    },
  });
  decoder.on('data', (chunk: Buffer) => plain.push(chunk));
  decoder.on('end', () => plain.end());
  decoder.on('error', (error) => {
    body.abort(error);
    plain.fail(error);
  });
  decoder.on('drain', () => body.resume());
  body.read({
    data: (chunk) => decoder.write(chunk),
    end: () => decoder.end(),
    fail: (error) => {
      decoder.destroy();
      plain.fail(error);
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
