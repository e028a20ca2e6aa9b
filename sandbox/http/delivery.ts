/** Timing and framing of the bytes of an answer. Chunks are the events of a stream. */
export interface Delivery {
  /** Milliseconds before the first byte. */
  readonly firstByteMs: number;
  /** Milliseconds between two chunks. */
  readonly betweenMs: number;
  /** Milliseconds of silence after the fifth chunk. */
  readonly silenceMs: number;
  /** Number of the gate at which a stream waits after its third chunk, and a whole answer of a model before its first byte; `null` for none. */
  readonly gate: number | null;
  /** Whether the body is compressed with the first supported encoding that the caller accepts. */
  readonly compressed: boolean;
  /** Size of a write in bytes, with CRLF line ends; 0 writes each chunk at once with LF. */
  readonly oddBytes: number;
  /** Seed of the random lengths of the pieces in which the body is written, whatever chunks there are; `null` for whole chunks. */
  readonly pieces: number | null;
  readonly ending: Ending;
}

/**
 * The end of an answer. `lost`: the connection breaks before any byte. `cut`: it breaks after `after` chunks, or half-way through an answer that is no stream.
 * `short`: the stream ends cleanly after `after` chunks. `unsaid`: it ends cleanly, only its terminal event is missing.
 * `failed`: the protocol's error event follows after `after` chunks. `open`: the answer is complete but the response never ends.
 */
type Ending =
  | { readonly kind: 'complete' | 'lost' | 'unsaid' | 'open' }
  | { readonly kind: 'cut' | 'short' | 'failed'; readonly after: number };

export const PLAIN_DELIVERY: Delivery = {
  firstByteMs: 0,
  betweenMs: 0,
  silenceMs: 0,
  gate: null,
  compressed: false,
  oddBytes: 0,
  pieces: null,
  ending: { kind: 'complete' },
};
