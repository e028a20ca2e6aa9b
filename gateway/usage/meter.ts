import type { TextProtocol } from '../../shared/chat/chat.ts';
import type { Usage } from '../../shared/exchange/usage.ts';

import type { Reservation } from '../lib/memory-budget.ts';

export interface MeterOptions {
  /** `null`: an answer without usage, of which only an error code is read. */
  readonly protocol: TextProtocol | null;
  /** Whether the answer is an event stream (`text/event-stream`). */
  readonly streamed: boolean;
  /** The `content-encoding` of the pushed bytes; `null` when there is none. */
  readonly encoding: string | null;
  /** Reservation that counts the buffered bytes. */
  readonly memory: Reservation;
}

/** Facts that an answer reports about itself. */
export interface Measurement {
  readonly usage: Usage;
  readonly modelServed: string | null;
  /** The id that the service gave the answer. */
  readonly answerId: string | null;
  /** `error.code` of an error body or event, otherwise `error.type` (spec section 7). */
  readonly errorCode: string | null;
  /** Whether it is no stream and begins like a page, as HTML or XML do. */
  readonly isPage: boolean;
}

/**
 * Whether a stream is complete. `seen`: its last event was certainly seen, an error event included. `missing`: its end has not
 * been seen. `unknown`: cannot be determined, as for answers that are not streamed and for encoded streams.
 */
export type StreamEnd = 'seen' | 'missing' | 'unknown';

/** Observes an answer while it passes. Never throws, buffers a bounded amount and delays nothing. */
export interface Meter {
  push(chunk: Uint8Array): void;
  /** Must be called after the last bytes: a final event without a blank line counts from now on. */
  end(): void;
  readonly ending: StreamEnd;
  /** Must be called once, when the answer ended or broke off. Never rejects; returns a promise for an encoded answer only. */
  finish(): Measurement | Promise<Measurement>;
}
