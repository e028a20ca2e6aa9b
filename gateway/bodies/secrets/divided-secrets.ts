import { splitEvents } from '../../../shared/parse-bodies/event-stream.ts';
import { tryParse } from '../../../shared/parse-bodies/json.ts';
import type { CleanBody } from '../clean-body.ts';
import type { SecretMask } from './secret-mask.ts';

const NOTE = Buffer.from(
  ': This stream is not kept: a secret was in it, divided among its events, or it could not be searched for one.\n\n',
);
const SEPARATOR = '\n\n';
const EVENT_STREAM = /^\s*text\/event-stream\b/iu;
/** Matches the name of a number that tells which of several texts a piece belongs to, such as `output_index`. */
const INDEX = /index$/u;
/** What is nested deeper is no piece of an answer. */
const MAX_DEPTH = 12;
/** An answer with more fields than this is not one that a model writes. */
const MAX_FIELDS = 50_000;
/** More indexes than this only count pieces. */
const MAX_INDEXES = 1_000;

/**
 * Removes the streams in which a secret is divided among events, as a model writes it: no event has the whole of it, but the answer
 * that is put together from them would.
 */
export async function removeDividedSecrets(
  exchanges: readonly (readonly CleanBody[])[],
  mask: Pick<SecretMask, 'hasSecrets'>,
): Promise<readonly (readonly CleanBody[])[]> {
  const texts = exchanges.map(assembleTexts);
  const all = texts.filter(Boolean).join(SEPARATOR);
  const isClean = all === '' || !(await mask.hasSecrets(all));
  if (isClean && !texts.includes(null)) return exchanges;
  return await Promise.all(
    exchanges.map(async (bodies, place) => {
      const text = texts[place] ?? null;
      const isKept = text !== null && (isClean || text === '' || !(await mask.hasSecrets(text)));
      return isKept ? bodies : bodies.map(removeStream);
    }),
  );
}

/**
 * Returns the texts that the events of a stream give in pieces, in whichever field; empty when there are none, and `null` when there are
 * too many fields to search. An event that repeats a text as a whole changes nothing: what it has is masked already, and the pieces are not.
 */
function assembleTexts(bodies: readonly CleanBody[]): string | null {
  const body = bodies.find(isStream);
  if (body === undefined) return '';
  const head = body.head.toString();
  const omitted = body.omitted > 0 ? { at: head.length, bytes: body.omitted } : null;
  const fields = new Fields();
  for (const { data, kind } of splitEvents({ text: head + body.tail.toString(), omitted })) {
    if (kind !== 'comment' && !fields.add(tryParse(data))) return null;
  }
  return fields.join();
}

/** A field that events have, and those within it, by their names. */
interface Field {
  readonly pieces: string[];
  inner: Map<string, Field> | null;
}

interface Place {
  readonly value: unknown;
  /** The field, told apart by the indexes beside it, and without them; both are the same when there are none. */
  readonly exact: Field;
  readonly joined: Field;
  readonly depth: number;
}

/**
 * The texts of the fields of events, in their order. A field is found step by step, so that no step costs more than the text of the
 * event. An index may tell several texts apart, or just count the pieces of one, so each text is put together both ways.
 */
class Fields {
  readonly #all: Field[] = [];
  readonly #root = this.#create();
  #indexes = 0;

  /** Adds the texts of an event to those before. Returns `false` when there are too many fields. */
  add(event: unknown): boolean {
    const waiting: Place[] = [{ value: event, exact: this.#root, joined: this.#root, depth: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { value, exact, joined, depth } = next;
      if (typeof value === 'string') {
        exact.pieces.push(value);
        if (joined !== exact) joined.pieces.push(value);
      } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
        this.#enter(value, next, waiting);
        if (this.#all.length > MAX_FIELDS) return false;
      }
    }
    return true;
  }

  /** Returns the texts that were given in pieces. */
  join(): string {
    // A field that is the same in each event, such as an id, is no text in pieces.
    const divided = this.#all.filter(({ pieces }) => new Set(pieces).size > 1);
    return [...new Set(divided.map(({ pieces }) => pieces.join('')))].join(SEPARATOR);
  }

  #enter(value: object, { exact, joined, depth }: Place, waiting: Place[]): void {
    const entries = Object.entries(value);
    const hasType = depth === 0 && 'type' in value && typeof value.type === 'string';
    const type = hasType ? `\n${String(value.type)}` : '';
    const indexes = entries
      .filter(([name, index]) => INDEX.test(name) && typeof index === 'number')
      .map(([, index]) => String(index));
    const outer = type === '' ? joined : this.#find(joined, type);
    const apart = this.#findApart(exact, type, indexes) ?? (exact === joined ? outer : exact);
    for (const [name, one] of entries) {
      if (this.#all.length > MAX_FIELDS) return;
      const inner = this.#find(outer, name);
      const own = apart === outer ? inner : this.#find(apart, name);
      waiting.push({ value: one, exact: own, joined: inner, depth: depth + 1 });
    }
  }

  /** Returns the field that these indexes tell apart; `null` when there are none, or so many that they only count. */
  #findApart(exact: Field, type: string, indexes: readonly string[]): Field | null {
    if (indexes.length === 0) return null;
    const name = `${type}\n\n${indexes.join(',')}`;
    if (exact.inner?.has(name) !== true) this.#indexes += 1;
    return this.#indexes > MAX_INDEXES ? null : this.#find(exact, name);
  }

  #find(outer: Field, name: string): Field {
    outer.inner ??= new Map();
    const found = outer.inner.get(name);
    if (found !== undefined) return found;
    const created = this.#create();
    outer.inner.set(name, created);
    return created;
  }

  #create(): Field {
    const field = { pieces: [], inner: null };
    this.#all.push(field);
    return field;
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
