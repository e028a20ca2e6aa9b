import type { ExchangeId } from '../../shared/exchange.ts';
import { ExchangeHeaders } from '../../shared/history.ts';
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
/** Bounds the cache, because clients and services choose the names. */
const MAX_NAMES = 1000;

/** Matches names of headers that carry a credential. `tokens`, as in rate limits, is not one. */
const CREDENTIAL_NAME =
  /authorization|cookie|passw|(?:^|[-_])(?:auth|authentication|credentials?|secret|jwt|signature)(?:[-_]|$)|token$|(?:api|access|secret|private|subscription|account)[-_]?key/i;
const SCHEME = /^(?:bearer|basic|digest|token|apikey|negotiate) /i;

/**
 * Creates a function that serializes the headers of an exchange for storage: without values of headers that carry a
 * credential, queries of addresses, secrets that `redact` knows, and texts that look like the key of a service.
 */
export function createHeaderSerializer(
  redact: (text: string) => string,
): (heads: RawHeaderSnapshots) => string {
  const known = new Map<string, boolean>();
  const carriesCredential = (name: string): boolean => {
    let carries = known.get(name);
    if (carries === undefined) {
      carries = CREDENTIAL_NAME.test(name);
      if (known.size >= MAX_NAMES) known.clear();
      known.set(name, carries);
    }
    return carries;
  };
  const cleanValue = (name: string, value: string): string => {
    if (carriesCredential(name)) return (SCHEME.exec(value)?.[0] ?? '') + MASK;
    const plain = value.includes('/') ? maskQuery(value) : value;
    // Redacts before truncating: half a secret at the cut would not be found afterwards.
    return plain.length > MAX_VALUE_LENGTH ? truncate(redact(plain), MAX_VALUE_LENGTH) : plain;
  };
  const redactHead = (head: readonly string[] | null): string[] | null => {
    if (head === null) return null;
    const redacted: string[] = [];
    for (let at = 0; at + 1 < Math.min(head.length, 2 * MAX_HEADERS); at += 2) {
      const name = head[at] ?? '';
      redacted.push(truncate(name, MAX_NAME_LENGTH), cleanValue(name, head[at + 1] ?? ''));
    }
    return redacted;
  };
  return ({ received, sent, answered, returned }) => {
    const lists = [received, sent, answered, returned].map(redactHead);
    // Redacts all values at once, because this runs for every exchange; `redact` also knows secrets in their JSON form.
    return maskKeys(redact(JSON.stringify(lists)));
  };
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

/** Parses what {@link createHeaderSerializer} made. @throws Error when the text is something else. */
export function parseHeaders(text: string): ExchangeHeaders {
  const lists: unknown = JSON.parse(text);
  const [received, sent, answered, returned] = Array.isArray(lists) ? lists.map(toPairs) : [];
  return ExchangeHeaders.parse({ received, sent, answered, returned });
}

function toPairs(flat: unknown): unknown {
  if (!Array.isArray(flat)) return flat;
  return Array.from({ length: flat.length / 2 }, (_, at) => flat.slice(2 * at, 2 * at + 2));
}

/** Addresses may have a signature in their query, and a user name before their host. */
function maskQuery(value: string): string {
  const plain = value.includes('?') ? value.replaceAll(/\?[^\s"'<>]+/g, `?${MASK}`) : value;
  return plain.includes('@') ? plain.replaceAll(/\/\/[^/\s@]*@/g, `//${MASK}@`) : plain;
}

/** Most service keys start like this, also those that a client sent by mistake. */
function maskKeys(text: string): string {
  return text.includes('sk-') ? text.replaceAll(/\bsk-[\w-]{16,}/g, `sk-${MASK}`) : text;
}

function truncate(text: string, maxLength: number): string {
  return text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
}
