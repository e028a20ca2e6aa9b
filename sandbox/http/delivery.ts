/** How the bytes of an answer go out. Pieces are the blocks of an event stream. */
export interface Delivery {
  /** Milliseconds before the first byte. */
  readonly firstByteMs: number;
  /** Milliseconds between two pieces. */
  readonly betweenMs: number;
  /** Milliseconds of silence after the fifth piece. */
  readonly silenceMs: number;
  /** Compressed by the first encoding the caller accepts. */
  readonly compressed: boolean;
  /** Carriage returns at line ends, and writes of so many bytes; 0 leaves the pieces whole. */
  readonly oddBytes: number;
  readonly ending: Ending;
}

/**
 * How an answer ends. `lost`: the connection dies before any byte. `cut`: it dies after so many pieces, or half-way through a whole answer.
 * `short`: the stream ends cleanly after so many pieces. `unsaid`: it ends cleanly, only its terminal event is missing.
 * `failed`: after so many pieces comes the protocol's error event. `open`: all is said, but the answer never ends.
 */
type Ending =
  | { readonly kind: 'complete' | 'lost' | 'unsaid' | 'open' }
  | { readonly kind: 'cut' | 'short' | 'failed'; readonly after: number };

export const PLAIN_DELIVERY: Delivery = {
  firstByteMs: 0,
  betweenMs: 0,
  silenceMs: 0,
  compressed: false,
  oddBytes: 0,
  ending: { kind: 'complete' },
};
