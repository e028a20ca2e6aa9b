import type { BodySide } from './protocol.ts';

/** A body as it is stored: decoded, and without secrets. */
export interface CleanBody {
  readonly side: BodySide;
  /** The part before and the part after the middle that is not kept. Both are empty for a binary body. */
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly binary: boolean;
  /** Bytes that passed. */
  readonly bytes: number;
  /** Bytes between the parts that are not kept. */
  readonly omitted: number;
  readonly contentType: string | null;
  readonly masked: number;
  /** Milliseconds after the exchange began; `null` unless it is an event stream. */
  readonly eventTimes: readonly number[] | null;
}
