import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import { ExchangeHeaders } from '../../shared/history/history.ts';
import type { Statement, Store } from '../store/store.ts';

/** Names and values in turn, as received; `null` for headers that never arrived. Still contains credentials. */
export interface RawHeaderSnapshots {
  readonly received: readonly string[] | null;
  readonly sent: readonly string[] | null;
  readonly answered: readonly string[] | null;
  readonly returned: readonly string[] | null;
}

const MASK = '••••';
const MAX_HEADERS = 100;
const MAX_NAME_LENGTH = 200;
const MAX_VALUE_LENGTH = 1000;

/** Matches names of headers that carry a credential. `tokens`, as in rate limits, is not one. */
const CREDENTIAL_NAME =
  /authorization|cookie|passw|(?:^|[-_])(?:auth|authentication|credentials?|secret|jwt|signature)(?:[-_]|$)|token$|(?:api|access|secret|private|subscription|account)[-_]?key/i;
/** The user name and the password of an address, also in JSON. */
const USER = /(?<start>\\?\/\\?\/)[^/\s"<>]*@/g;
const EXCHANGE_ID = /^ex-[\da-f]{16}$/;
const SCHEME = /^(?:bearer|basic|digest|token|apikey|negotiate) /i;

/** The headers of an exchange as they are stored, in parts that exchanges with the same headers share. */
export interface CleanHeaders {
  /** For each of the four lists its elements as JSON texts: of a header, or of the place of the same header in the list before. */
  readonly lists: readonly (readonly string[] | null)[];
  /** Characters of these texts. */
  readonly size: number;
}

/** Makes the stored text of headers: four lists, in each the names and the values in turn, or a number for a repeated pair. */
export function toHeaderText({ lists }: CleanHeaders): string {
  const texts = lists.map((list) => (list === null ? 'null' : `[${list.join(',')}]`));
  return `[${texts.join(',')}]`;
}

/** The texts of small numbers. */
const PLACES = Array.from({ length: MAX_HEADERS }, (_, place) => String(place));

/**
 * Removes what must not be stored from headers: values of headers that carry a credential, queries of addresses, secrets that
 * `redact` knows, and texts that look like the key of a service.
 *
 * It keeps the text of every header, because most repeat from one exchange to the next. So it is for one batch only: a longer
 * one would not know a secret that was added meanwhile.
 */
export class HeaderCleaner {
  readonly #redact: (text: string) => string;
  /** The text of a header by its name and value. */
  readonly #texts = new Map<string, Map<string, string>>();

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  clean({ received, sent, answered, returned }: RawHeaderSnapshots): CleanHeaders {
    const [first, second] = [this.#cleanList(received), this.#cleanList(answered)];
    const lists = [
      first,
      withPlaces(this.#cleanList(sent), first),
      second,
      withPlaces(this.#cleanList(returned), second),
    ];
    return { lists, size: lists.reduce((size, list) => size + countCharacters(list), 0) };
  }

  #cleanList(head: readonly string[] | null): string[] | null {
    if (head === null) return null;
    const list: string[] = [];
    for (let at = 0; at + 1 < Math.min(head.length, 2 * MAX_HEADERS); at += 2) {
      list.push(this.#clean(head[at] ?? '', head[at + 1] ?? ''));
    }
    return list;
  }

  #clean(name: string, value: string): string {
    // The id of the exchange is new each time and has no secret.
    if (name === 'x-gatehouse-exchange' && EXCHANGE_ID.test(value)) return `"${name}","${value}"`;
    let byValue = this.#texts.get(name);
    const known = byValue?.get(value);
    if (known !== undefined) return known;
    if (byValue === undefined) this.#texts.set(name, (byValue = new Map()));
    const text = cleanHeader(name, value, this.#redact);
    byValue.set(value, text);
    return text;
  }
}

/** Removes what must not be stored from stored headers: a secret may be known only since then, or by a newer rule. */
export function cleanAgain(
  headers: ExchangeHeaders | null,
  cleaner: HeaderCleaner,
): ExchangeHeaders | null {
  if (headers === null) return null;
  const { received, sent, answered, returned } = headers;
  const cleaned = cleaner.clean({
    received: received?.flat() ?? null,
    sent: sent?.flat() ?? null,
    answered: answered?.flat() ?? null,
    returned: returned?.flat() ?? null,
  });
  return parseHeaders(toHeaderText(cleaned));
}

function countCharacters(texts: readonly string[] | null): number {
  return texts === null ? 0 : texts.reduce((sum, { length }) => sum + length, 0);
}

/** Replaces the headers that are in `before`, too, by their places there: most of a list are. */
function withPlaces(list: string[] | null, before: readonly string[] | null): string[] | null {
  if (list === null || before === null) return list;
  return list.map((text) => PLACES[before.indexOf(text)] ?? text);
}

/** Returns the name and the value of a header as two JSON strings, without secrets. */
function cleanHeader(name: string, value: string, redact: (text: string) => string): string {
  const pair = [truncate(name, MAX_NAME_LENGTH), cleanValue(name, value, redact)];
  // `redact` also knows secrets in their JSON form.
  return maskKeys(redact(JSON.stringify(pair).slice(1, -1)));
}

function cleanValue(name: string, value: string, redact: (text: string) => string): string {
  if (CREDENTIAL_NAME.test(name)) return (SCHEME.exec(value)?.[0] ?? '') + MASK;
  const plain = value.includes('/') ? maskQuery(value) : value;
  // Redacts before truncating: half a secret at the cut would not be found afterwards.
  return plain.length > MAX_VALUE_LENGTH ? truncate(redact(plain), MAX_VALUE_LENGTH) : plain;
}

/**
 * Returns the statement that stores these texts with their exchanges, which must exist already. Entries without a text are
 * left out.
 */
export function insertHeadersStatement(
  heads: readonly { readonly id: ExchangeId; readonly heads: string | null }[],
): Statement {
  return {
    sql: 'insert into exchange_head (seq, heads) select seq, ? from exchange where id = ?',
    rows: heads.flatMap(({ id, heads: text }) => (text === null ? [] : [[text, id]])),
  };
}

/** Returns the headers of an exchange; `null` when they were not stored, or were deleted. */
export async function readHeaders(store: Store, id: ExchangeId): Promise<ExchangeHeaders | null> {
  const row = await store.db
    .selectFrom('exchange_head')
    .innerJoin('exchange', 'exchange.seq', 'exchange_head.seq')
    .where('exchange.id', '=', id)
    .select('heads')
    .executeTakeFirst();
  return row === undefined ? null : parseHeaders(row.heads);
}

/** Returns the headers of those of some exchanges, at most a few hundred, whose headers are stored. */
export async function listHeaders(
  store: Store,
  ids: readonly ExchangeId[],
): Promise<ReadonlyMap<string, ExchangeHeaders>> {
  const rows = await store.db
    .selectFrom('exchange_head')
    .innerJoin('exchange', 'exchange.seq', 'exchange_head.seq')
    .where('exchange.id', 'in', ids)
    .select(['exchange.id', 'heads'])
    .execute();
  return new Map(rows.map(({ id, heads }) => [id, parseHeaders(heads)]));
}

/** Parses what {@link toHeaderText} made. @throws Error when the text is something else. */
export function parseHeaders(text: string): ExchangeHeaders {
  const lists: unknown = JSON.parse(text);
  const [received, sent, answered, returned]: unknown[] = Array.isArray(lists) ? lists : [];
  const [first, second] = [toPairs(received, []), toPairs(answered, [])];
  return ExchangeHeaders.parse({
    received: first,
    sent: toPairs(sent, first),
    answered: second,
    returned: toPairs(returned, second),
  });
}

/** Returns the pairs of a stored list; a number in it stands for the pair at that place of `before`. */
function toPairs(flat: unknown, before: unknown): unknown {
  if (!Array.isArray(flat)) return flat;
  const pairs: unknown[] = [];
  for (let at = 0; at < flat.length; at += 1) {
    const part: unknown = flat[at];
    if (typeof part === 'number') pairs.push(Array.isArray(before) ? before[part] : undefined);
    else {
      pairs.push([part, flat[at + 1]]);
      at += 1;
    }
  }
  return pairs;
}

/** Addresses may have a signature in their query, and a user name before their host. */
function maskQuery(value: string): string {
  const plain = value.includes('?') ? value.replaceAll(/\?[^\s"'<>]+/g, `?${MASK}`) : value;
  return plain.includes('@') ? plain.replaceAll(USER, `$<start>${MASK}@`) : plain;
}

/** Most service keys start like this, also those that a client sent by mistake. */
function maskKeys(text: string): string {
  return text.includes('sk-') ? text.replaceAll(/\bsk-[\w-]{16,}/g, `sk-${MASK}`) : text;
}

function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
