import type { TextProtocol } from '../../shared/chat.ts';
import type { Usage } from '../../shared/usage.ts';

import type { Reservation } from '../lib/memory-budget.ts';

export interface MeterOptions {
  /** `null`: an answer without usage; only an error code is read from it. */
  readonly protocol: TextProtocol | null;
  /** Whether the answer is an event stream (`text/event-stream`). */
  readonly streamed: boolean;
  /** The answer's `content-encoding` as it is pushed; `null` when it has none. */
  readonly encoding: string | null;
  /** Counts what is held of it. */
  readonly memory: Reservation;
}

/** What an answer says about itself. */
export interface Measurement {
  readonly usage: Usage;
  readonly modelServed: string | null;
  /** `error.code` of an error body or event, otherwise `error.type` (spec section 7). */
  readonly errorCode: string | null;
}

/**
 * How far a stream is towards its end. `seen`: its last event was certainly seen, an error event included. `missing`: were
 * this all, its end would be missing. `unknown`: cannot be told, as for answers in one piece and for encoded streams.
 */
export type StreamEnd = 'seen' | 'missing' | 'unknown';

/** Looks on while an answer passes. Never throws, holds a bounded amount of it and delays nothing. */
export interface Meter {
  push(chunk: Uint8Array): void;
  /** Says that nothing more comes: an event whose blank line is missing counts from now on. */
  end(): void;
  readonly ending: StreamEnd;
  /** Call once, when the answer ended or broke off. Never rejects. */
  finish(): Promise<Measurement>;
}
