import type { StoredBody } from '../exchange/body.ts';
import { toName, toObject, tryParse } from './json.ts';

/** One event of an event stream, or a comment. */
export interface StreamEvent {
  /** Its `event` field; `null` when it has none. */
  readonly event: string | null;
  /** Its `data` lines, or the lines of a comment. */
  readonly data: string;
  /** `cut`: its beginning or its end is not there. */
  readonly kind: 'event' | 'comment' | 'cut';
}

/** An event with its times, in milliseconds; `null` where they are not known. */
export interface TimedEvent extends StreamEvent {
  /** Time from the start of the exchange. */
  readonly at: number | null;
  /** Time since the previous event. */
  readonly gap: number | null;
}

const LINE_END = /\r\n|\r|\n/u;

type StreamBody = Pick<StoredBody, 'text' | 'omitted'>;

/** Splits an event stream into its events. Those at the edges of a missing middle are `cut`. */
export function splitEvents(body: StreamBody): readonly StreamEvent[] {
  const { before, after } = splitSides(body);
  return [...before, ...after];
}

/** Splits an event stream into the events before its missing middle, and those after it. */
function splitSides({ text, omitted }: StreamBody) {
  if (omitted === null) return { before: splitText(text), after: [] };
  const [first, ...others] = splitText(text.slice(omitted.at));
  const cut: readonly StreamEvent[] = first === undefined ? [] : [{ ...first, kind: 'cut' }];
  return { before: splitText(text.slice(0, omitted.at)), after: [...cut, ...others] };
}

function splitText(text: string): readonly StreamEvent[] {
  const events: StreamEvent[] = [];
  let lines: string[] = [];
  // Most streams have no other end of a line, and this is much faster.
  for (const line of text.split(text.includes('\r') ? LINE_END : '\n')) {
    if (line !== '') lines.push(line);
    else if (lines.length > 0) {
      events.push(parseLines(lines));
      lines = [];
    }
  }
  if (lines.length > 0) events.push({ ...parseLines(lines), kind: 'cut' });
  return events;
}

function parseLines(lines: readonly string[]): StreamEvent {
  let event: string | null = null;
  let data: string | null = null;
  let isComment = true;
  for (const line of lines) {
    if (line.startsWith(':')) continue;
    isComment = false;
    const more = readField(line, 'data');
    if (more === null) event = readField(line, 'event') ?? event;
    else data = data === null ? more : `${data}\n${more}`;
  }
  if (isComment) return { event: null, data: lines.join('\n'), kind: 'comment' };
  return { event: toName(event), data: data ?? '', kind: 'event' };
}

/** Returns the value of a field; `null` when the line is of another one. */
function readField(line: string, name: string): string | null {
  if (!line.startsWith(name)) return null;
  const { length } = name;
  if (line.length === length) return '';
  if (line[length] !== ':') return null;
  return line.slice(line[length + 1] === ' ' ? length + 2 : length + 1);
}

/**
 * Returns the events of a stream with their times. There is one time for each blank line after other lines, also after those of
 * a comment, so the event that the missing middle interrupts has its time at its end.
 */
export function timeEvents(
  body: StreamBody & Pick<StoredBody, 'eventTimes'>,
): readonly TimedEvent[] {
  const { before, after } = splitSides(body);
  const interrupted = after.length > 0 && before.at(-1)?.kind === 'cut' ? before.at(-1) : null;
  const times = (body.eventTimes ?? []).values();
  let previous: number | null = null;
  return [...before, ...after].map((event) => {
    const at = event === interrupted ? null : (times.next().value ?? null);
    const gap = at === null || previous === null ? null : Math.max(0, at - previous);
    previous = at ?? previous;
    return { ...event, at, gap };
  });
}

/** Returns the index of the event with the largest gap before it; `null` when no gap is known. */
export function findLargestGap(events: readonly TimedEvent[]): number | null {
  let found: number | null = null;
  for (const [index, { gap }] of events.entries()) {
    if (gap !== null && gap > (found === null ? 0 : (events[found]?.gap ?? 0))) found = index;
  }
  return found;
}

/** Returns the name of an event for people: that of its field, or the `type` in its data. */
export function nameEvent({ event, data, kind }: StreamEvent): string {
  if (kind === 'comment') return 'comment';
  return event ?? toName(toObject(tryParse(data))['type']) ?? 'message';
}
