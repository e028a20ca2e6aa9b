import { splitEvents } from '../../../shared/parse-bodies/event-stream.ts';
import { tryParse } from '../../../shared/parse-bodies/json.ts';
import type { CleanBody } from '../clean-body.ts';
import type { SecretMask } from './secret-mask.ts';

const HAD_SECRET = ': This stream is not kept: a secret was in it, divided among its events.\n\n';
const NOT_SEARCHED =
  ': This stream is not kept: it has too many fields to search them for a secret that is divided among its events.\n\n';
const SEPARATOR = '\n\n';
const EVENT_STREAM = /^\s*text\/event-stream\b/iu;
/** Matches the name of a number that tells which of several texts a piece belongs to, such as `output_index`. */
const INDEX = /index$/u;
/** What is nested deeper is no piece of an answer. */
const MAX_DEPTH = 12;
/** An answer with more fields that are texts or have some is not one that a model writes. */
const MAX_FIELDS = 50_000;
/** Indexes beside a piece and above it that are looked at, and those of them by which the pieces of a field are told apart. */
const MAX_INDEXES = 8;
const MAX_APART = 4;

/**
 * Removes the streams in which a secret is divided among events, as a model writes it: no event has the whole of it, but the answer
 * that is put together from them would. Those that cannot be searched for one are removed, too.
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
      if (text === null) return replaceStream(bodies, NOT_SEARCHED, 0);
      const isKept = isClean || text === '' || !(await mask.hasSecrets(text));
      return isKept ? bodies : replaceStream(bodies, HAD_SECRET, 1);
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

/** The indexes of a piece, by their names and depths. */
type Indexes = ReadonlyMap<string, number>;

interface Piece {
  readonly text: string;
  readonly indexes: Indexes;
}

/** A field that events have, and those within it, by their names. */
interface Field {
  readonly pieces: Piece[];
  inner: Map<string, Field> | null;
}

interface Place {
  readonly value: unknown;
  readonly field: Field;
  readonly indexes: Indexes;
  readonly depth: number;
}

/** The texts of the fields of events, in their order. A field is found step by step, so that no step costs more than the text of the event. */
class Fields {
  readonly #all: Field[] = [];
  readonly #root = this.#create();

  /** Adds the texts of an event to those before. Returns `false` when there are too many fields. */
  add(event: unknown): boolean {
    const waiting: Place[] = [{ value: event, field: this.#root, indexes: new Map(), depth: 0 }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { value, field, indexes, depth } = next;
      if (typeof value === 'string') field.pieces.push({ text: value, indexes });
      else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
        this.#enter(value, next, waiting);
        if (this.#all.length > MAX_FIELDS) return false;
      }
    }
    return true;
  }

  /** Returns the texts that were given in pieces. */
  join(): string {
    return [...new Set(this.#all.flatMap(({ pieces }) => joinPieces(pieces)))].join(SEPARATOR);
  }

  #enter(value: object, { field, indexes, depth }: Place, waiting: Place[]): void {
    const entries = Object.entries(value);
    const hasType = depth === 0 && 'type' in value && typeof value.type === 'string';
    const outer = hasType ? this.#find(field, `\n${String(value.type)}`) : field;
    const own = entries.flatMap(([name, index]): [string, number][] =>
      INDEX.test(name) && typeof index === 'number' ? [[`${depth} ${name}`, index]] : [],
    );
    const all = own.length === 0 ? indexes : new Map([...indexes, ...own].slice(-MAX_INDEXES));
    for (const [name, one] of entries) {
      if (this.#all.length > MAX_FIELDS) return;
      // The tokens of an answer may be many numbers.
      if (typeof one !== 'string' && (typeof one !== 'object' || one === null)) continue;
      const inner = this.#find(outer, name);
      waiting.push({ value: one, field: inner, indexes: all, depth: depth + 1 });
    }
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

/**
 * Puts the texts of a field together. An index may tell several texts apart, or just count pieces, also beside one that tells them
 * apart, so they are put together by all of the indexes, by none, and by each choice of some.
 */
function joinPieces(pieces: readonly Piece[]): readonly string[] {
  return listChoices(findIndexes(pieces)).flatMap((names) => {
    const texts = Map.groupBy(pieces, ({ indexes }) =>
      names.map((name) => indexes.get(name)).join(','),
    );
    return (
      [...texts.values()]
        .map((group) => group.map(({ text }) => text))
        // A field that is the same in each event, such as an id, is no text in pieces.
        .filter((group) => group.length > 1 && new Set(group).size > 1)
        .map((group) => group.join(''))
    );
  });
}

/** Returns the indexes that tell pieces apart, but not each from all others. Of many, those with the fewest values: the others count. */
function findIndexes(pieces: readonly Piece[]): readonly string[] {
  const found = new Map<string, { readonly values: Set<number>; times: number }>();
  for (const { indexes } of pieces) {
    for (const [name, index] of indexes) {
      const one = found.get(name) ?? { values: new Set(), times: 0 };
      found.set(name, one);
      one.values.add(index);
      one.times += 1;
    }
  }
  return [...found]
    .map(([name, { values, times }]) => ({
      name,
      // Some services leave out an index of 0.
      count: values.size + (times < pieces.length ? 1 : 0),
    }))
    .filter(({ count }) => count > 1 && count < pieces.length)
    .toSorted((one, other) => one.count - other.count)
    .slice(0, MAX_APART)
    .map(({ name }) => name);
}

/** Returns all choices of some names, of all, and of none. */
function listChoices(names: readonly string[]): readonly (readonly string[])[] {
  return names.reduce<readonly (readonly string[])[]>(
    (choices, name) => choices.flatMap((choice) => [choice, [...choice, name]]),
    [[]],
  );
}

function isStream({ side, eventTimes, contentType, binary }: CleanBody): boolean {
  const isEvents = eventTimes !== null || EVENT_STREAM.test(contentType ?? '');
  return side === 'returned' && !binary && isEvents;
}

/** Puts a note in the place of a stream. `found`: the secrets that were in it, beside those that are masked. */
function replaceStream(bodies: readonly CleanBody[], note: string, found: number): CleanBody[] {
  return bodies.map((body) => {
    if (!isStream(body)) return body;
    const parts = { head: Buffer.from(note), tail: Buffer.alloc(0), omitted: 0 };
    const eventTimes = body.eventTimes === null ? null : [0];
    return { ...body, ...parts, masked: body.masked + found, eventTimes };
  });
}
