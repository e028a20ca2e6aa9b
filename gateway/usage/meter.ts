import type { Usage } from '../../shared/usage.ts';
import type { Protocol } from './findings.ts';

export interface MeterOptions {
  /** `null`: an answer without usage; only an error code is read from it. */
  readonly protocol: Protocol | null;
  /** Whether the answer is an event stream (`text/event-stream`). */
  readonly streamed: boolean;
  /** The answer's `content-encoding` as it is pushed; `null` when it has none. */
  readonly encoding: string | null;
}

/** What an answer says about itself. */
export interface Measured {
  readonly usage: Usage;
  readonly modelServed: string | null;
  /** `complete`: the good end of the protocol was seen. `failed`: the service reported an error. `incomplete`: it just stopped. */
  readonly ended: 'complete' | 'incomplete' | 'failed';
  /** `error.code` of an error body or event, otherwise `error.type` (spec section 7). */
  readonly errorCode: string | null;
  readonly responseId: string | null;
}

/** Looks on while an answer passes. Never throws, holds a bounded amount of it and delays nothing. */
export interface Meter {
  push(chunk: Uint8Array): void;
  /**
   * The stream's last event was seen, an error event included: who leaves now leaves after its end. Also true when that
   * cannot be told any more. Always false for answers in one piece and for encoded streams.
   */
  readonly complete: boolean;
  /** The id of the answer as far as it was seen. */
  readonly responseId: string | null;
  /** Call once, when the answer ended or broke off. Never rejects. */
  finish(): Promise<Measured>;
}
