import { splitEvents } from '../../../shared/parse-bodies/event-stream.ts';
import { tryParse } from '../../../shared/parse-bodies/json.ts';
import type { CleanBody } from '../clean-body.ts';
import type { SecretMask } from './secret-mask.ts';

const NOTE = Buffer.from(
  ': This stream is not kept: a secret was in it, divided among its events.\n\n',
);
const SEPARATOR = '\n\n';
const EVENT_STREAM = /^\s*text\/event-stream\b/iu;
/** Matches the name of a number that tells which of several texts a piece belongs to, such as `output_index`. */
const INDEX = /index$/u;
/** What is nested deeper is no piece of an answer. */
const MAX_DEPTH = 12;

/**
 * Removes the streams in which a secret is divided among events, as a model writes it: no event has the whole of it, but the answer
 * that is put together from them would.
 */
export async function removeDividedSecrets(
  exchanges: readonly (readonly CleanBody[])[],
  mask: Pick<SecretMask, 'hasSecrets'>,
): Promise<readonly (readonly CleanBody[])[]> {
  const texts = exchanges.map(assembleTexts);
  const all = texts.filter((text) => text !== '').join(SEPARATOR);
  if (all === '' || !(await mask.hasSecrets(all))) return exchanges;
  return await Promise.all(
    exchanges.map(async (bodies, place) => {
      const text = texts[place] ?? '';
      return text !== '' && (await mask.hasSecrets(text)) ? bodies.map(removeStream) : bodies;
    }),
  );
}

/**
 * Returns the texts that the events of a stream give in pieces, in whichever field; empty when there are none. An event that repeats a
 * text as a whole changes nothing: what it has is masked already, and the pieces are not.
 */
function assembleTexts(bodies: readonly CleanBody[]): string {
  const body = bodies.find(isStream);
  if (body === undefined) return '';
  const head = body.head.toString();
  const omitted = body.omitted > 0 ? { at: head.length, bytes: body.omitted } : null;
  const texts = new Map<string, string[]>();
  for (const { data, kind } of splitEvents({ text: head + body.tail.toString(), omitted })) {
    if (kind !== 'comment') addPieces(tryParse(data), texts);
  }
  // A field that is the same in each event, such as an id, is no text in pieces.
  const divided = [...texts.values()].filter((pieces) => new Set(pieces).size > 1);
  return divided.map((pieces) => pieces.join('')).join(SEPARATOR);
}

interface Place {
  readonly value: unknown;
  readonly path: string;
  readonly depth: number;
}

/** Adds the texts of an event to those before at the same place: the same names, indexes, and type of event. */
function addPieces(event: unknown, texts: Map<string, string[]>): void {
  const waiting: Place[] = [{ value: event, path: '', depth: 0 }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { value, path, depth } = next;
    if (typeof value === 'string') {
      const pieces = texts.get(path);
      if (pieces === undefined) texts.set(path, [value]);
      else pieces.push(value);
    } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
      const entries = Object.entries(value);
      const type = depth === 0 && 'type' in value ? String(value.type) : '';
      const indexes = entries.flatMap(([name, index]) =>
        INDEX.test(name) && typeof index === 'number' ? [index] : [],
      );
      const inner = `${path}${type}${indexes.join(',')}`;
      for (const [name, one] of entries)
        waiting.push({ value: one, path: `${inner}.${name}`, depth: depth + 1 });
    }
  }
}

function isStream({ side, eventTimes, contentType, binary }: CleanBody): boolean {
  const isEvents = eventTimes !== null || EVENT_STREAM.test(contentType ?? '');
  return side === 'returned' && !binary && isEvents;
}

function removeStream(body: CleanBody): CleanBody {
  if (!isStream(body)) return body;
  const masked = body.masked + 1;
  const eventTimes = body.eventTimes === null ? null : [0];
  return { ...body, head: NOTE, tail: Buffer.alloc(0), omitted: 0, masked, eventTimes };
}
