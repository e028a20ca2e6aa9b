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
