import { sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { type NamedFacet, facetToken } from '../facets.ts';
import { type IndexPart, isLikeOneOf, toNameToken } from '../filter.ts';
import { listMatchingTools } from '../exchange-tools.ts';

/** With more names a query takes longer than reading the rows. */
const MAX_NAMES = 200;

/** Columns of the totals, which have each name that occurs. */
const NAME_COLUMNS: Readonly<Partial<Record<NamedFacet, string>>> = {
  c: 'client_name',
  m: 'model',
  v: 'service',
};

/** Returns the tokens of the names that match patterns; `null` when there are too many, or they are in no table. */
export async function listNameTokens(
  store: Store,
  { facet, patterns }: Extract<IndexPart, { kind: 'names' }>,
): Promise<readonly string[] | null> {
  const tokens = patterns.map((pattern) => toNameToken(facet, pattern));
  const plain = tokens.filter((token) => token !== null);
  if (plain.length === tokens.length) return plain;
  if (facet === 'x') {
    const names = await listMatchingTools(store, patterns);
    if (names === null || names.length > MAX_NAMES) return null;
    return names.map((name) => facetToken(facet, name));
  }
  const column = NAME_COLUMNS[facet];
  if (column === undefined) return null;
  const matches = isLikeOneOf(sql.ref(column), patterns);
  const { rows } = await sql<{
    name: string;
  }>`select distinct ${sql.ref(column)} as name from exchange_sum
    where ${sql.ref(column)} <> '' and ${matches} limit ${MAX_NAMES + 1}`.execute(store.db);
  if (rows.length > MAX_NAMES) return null;
  return rows.map(({ name }) => facetToken(facet, name));
}
