import type { ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../../shared/problem.ts';
import type { Meter, Protocol } from '../usage/usage.ts';
import { AnswerBody, type BodyReader } from './answer-body.ts';
import { CallerGone } from './call.ts';
import { failureEvent } from './failure.ts';
import { Heartbeat } from './heartbeat.ts';
import type { KeyMask } from './key-mask.ts';

/** How a relayed answer came to its end. */
export interface Relayed {
  /** `complete`: all of it arrived. `left`: the caller went before the end. `broken`: the service stopped in the middle. */
  readonly ending: 'complete' | 'left' | 'broken';
  readonly bytesOut: number;
  /** Milliseconds on the monotonic clock; `null` when no byte of a body came. */
  readonly firstByteAt: number | null;
}

export interface RelayOptions {
  readonly body: AnswerBody;
  readonly reply: ServerResponse;
  readonly gone: AbortSignal;
  readonly meter: Meter | null;
  readonly mask: KeyMask;
  /** What a client is told when the answer breaks off. */
  readonly sayBroken: () => string;
  /** Set for event streams: which failure event to send when the stream breaks, and how long it may be silent. */
  readonly stream: { readonly protocol: Protocol; readonly heartbeatMs: number } | null;
}

/**
 * Passes a body on chunk by chunk with back-pressure. A broken answer never gets a clean end: an event stream gets the failure
 * event of its protocol, and the connection is cut. Never rejects.
 */
export function relay(options: RelayOptions): Promise<Relayed> {
  return new Promise((resolve) => {
    options.body.read(new Passage(options, resolve));
  });
}

class Passage implements BodyReader {
  readonly #options: RelayOptions;
  readonly #resolve: (relayed: Relayed) => void;
  readonly #heartbeat: Heartbeat | null;
  #bytesOut = 0;
  #firstByteAt: number | null = null;

  constructor(options: RelayOptions, resolve: (relayed: Relayed) => void) {
    this.#options = options;
    this.#resolve = resolve;
    const { reply, body, stream } = options;
    reply.on('drain', () => body.resume());
    this.#heartbeat =
      stream === null
        ? null
        : new Heartbeat(stream.heartbeatMs, (comment) => {
            if (!reply.writableNeedDrain) reply.write(comment);
          });
    // A body that has already come in whole does not fail any more, but its caller can still leave.
    if (options.gone.aborted) this.#leave();
    else options.gone.addEventListener('abort', () => this.#leave());
    // The head of a stream must reach the client before its first event does.
    if (stream !== null) reply.flushHeaders();
  }

  data(chunk: Buffer): boolean {
    this.#firstByteAt ??= performance.now();
    this.#bytesOut += chunk.length;
    const wantsMore = this.#options.reply.write(this.#options.mask.bytes(chunk));
    this.#heartbeat?.saw(chunk);
    this.#options.meter?.push(chunk);
    return wantsMore;
  }

  end(): void {
    const { stream, meter } = this.#options;
    meter?.end();
    if (stream !== null && meter?.ending === 'missing') this.#breakOff();
    else this.#complete();
  }

  fail(): void {
    if (this.#options.gone.aborted) this.#conclude('left');
    else if (this.#options.meter?.ending === 'seen') this.#complete();
    else this.#breakOff();
  }

  #leave(): void {
    this.#options.body.abort(new CallerGone('The client left.'));
    this.#conclude('left');
  }

  #complete(): void {
    this.#options.reply.end();
    this.#conclude('complete');
  }

  #breakOff(): void {
    const { reply, stream, meter } = this.#options;
    if (stream === null) {
      reply.destroy();
    } else {
      const problem = new Problem('upstream_connection_lost', this.#options.sayBroken());
      const event = failureEvent(problem, stream.protocol, meter?.responseId ?? null);
      reply.write(event, () => reply.destroy());
    }
    this.#conclude('broken');
  }

  #conclude(ending: Relayed['ending']): void {
    this.#heartbeat?.stop();
    this.#resolve({ ending, bytesOut: this.#bytesOut, firstByteAt: this.#firstByteAt });
  }
}

/** What a client is told of an answer that breaks off. */
export const BROKEN_ANSWER =
  'The service broke this answer off before its end, so it is incomplete. What arrived may be charged. Ask again if you need the rest.';

/** The same body after a decoder (gzip, br …), chunk by chunk, with back-pressure through it. */
export function decodedBody(body: AnswerBody, decoder: Duplex): AnswerBody {
  const plain = new AnswerBody({
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
