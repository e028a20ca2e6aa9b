/** The chunks of an event stream, for finding when its events came. */
export interface Arrival {
  /** Number of kept bytes before the omitted middle. */
  readonly headBytes: number;
  /** Bytes that passed. */
  readonly bytes: number;
  /** As in `CapturedParts`. */
  readonly marks: readonly number[];
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Finds when each event in the kept bytes of a stream was complete. A blank line ends an event (HTML, section 9.2.6). */
export function findEventTimes(kept: Uint8Array, { headBytes, bytes, marks }: Arrival): number[] {
  const times: number[] = [];
  const skipped = bytes - kept.length;
  let mark = 0;
  for (const end of findEventEnds(kept)) {
    const passed = end <= headBytes ? end : end + skipped;
    while (mark + 2 < marks.length && (marks[mark] ?? 0) < passed) mark += 2;
    times.push(marks[mark + 1] ?? 0);
  }
  return times;
}

/** Yields the offset after each blank line that follows other lines. Line ends are LF or CRLF. */
function* findEventEnds(bytes: Uint8Array): Generator<number> {
  let hasLines = false;
  let start = 0;
  for (let at = bytes.indexOf(LINE_FEED); at !== -1; at = bytes.indexOf(LINE_FEED, start)) {
    const isBlank = at === start || (at === start + 1 && bytes[start] === CARRIAGE_RETURN);
    if (isBlank && hasLines) yield at + 1;
    hasLines = !isBlank;
    start = at + 1;
  }
}
