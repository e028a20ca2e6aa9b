import type { HistoryFilter } from '../../../shared/history/history.ts';
import { ALL_TOKENS } from '../facets.ts';
import {
  asksForMarked,
  type Condition,
  type Criterion,
  type IndexPart,
  toCondition,
  toCriteria,
} from '../filter.ts';

/** A query of the search index, and the conditions that only the rows of its matches can answer. */
export interface IndexQuery {
  readonly match: string;
  readonly rest: readonly Condition[];
}

/** Looks things up that a query is made of. */
export interface IndexLookup {
  /** Returns the query for the words with this beginning. */
  readonly findWords: (prefix: string) => Promise<string>;
  /** Returns the tokens of the names that match patterns; `null` when there are too many, or they cannot be listed. */
  readonly listNameTokens: (
    part: Extract<IndexPart, { kind: 'names' }>,
  ) => Promise<readonly string[] | null>;
}

/** Returns the query for a filter; `null` when the index cannot help with it. */
export async function buildIndexQuery(
  filter: HistoryFilter,
  lookup: IndexLookup,
): Promise<IndexQuery | null> {
  // Ids alone leave few rows, and so do marks.
  const { id, run, ids } = filter;
  if ([id, run, ids].some((one) => one !== undefined) || asksForMarked(filter)) return null;
  const required: string[] = [];
  const excluded: string[] = [];
  const rest: Condition[] = [];
  for (const criterion of toCriteria(filter)) {
    const { query, exact } = await toQuery(criterion, lookup);
    if (query !== null && !criterion.negated) required.push(query);
    else if (query !== null && exact) excluded.push(query);
    if (query === null || !exact) rest.push(toCondition(criterion));
  }
  if (required.length + excluded.length === 0) return null;
  if (required.length === 0) required.push(toOrQuery(ALL_TOKENS));
  const without = excluded.length === 0 ? '' : ` NOT (${excluded.join(' OR ')})`;
  return { match: `(${[...new Set(required)].join(' AND ')})${without}`, rest };
}

/** Returns the query for a criterion; `null` when the index cannot help. `exact`: it finds nothing else. */
async function toQuery(
  { query: part }: Criterion,
  { findWords, listNameTokens }: IndexLookup,
): Promise<{ readonly query: string | null; readonly exact: boolean }> {
  switch (part?.kind) {
    case 'tokens':
      return { query: toOrQuery(part.tokens), exact: part.exact };
    case 'words': {
      const found = await Promise.all([...new Set(part.words)].map(findWords));
      return { query: found.length === 0 ? null : found.join(' AND '), exact: part.exact };
    }
    case 'names': {
      const tokens = await listNameTokens(part);
      return { query: tokens === null ? null : toOrQuery(tokens), exact: true };
    }
    case undefined:
      return { query: null, exact: true };
  }
}

/** A token that no exchange has. */
const NO_TOKEN = '_';

/** Returns the query for exchanges with one of these tokens. */
function toOrQuery(tokens: readonly string[]): string {
  const some = tokens.length === 0 ? [NO_TOKEN] : tokens;
  return `(${some.map((token) => `"${token}"`).join(' OR ')})`;
}
