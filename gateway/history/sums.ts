import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { MODEL } from './list.ts';

export type UsageKey = 'day' | 'model' | 'client';

/** Sums over the exchanges of one key. A sum is `null` when no exchange had that number. */
export interface UsageRow {
  /** A local calendar day (`2026-11-21`), a model id or a client's name; `null` when there was none. */
  readonly key: string | null;
  readonly exchanges: number;
  /** Exchanges with a status of 400 or more, or with an error code. */
  readonly errors: number;
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly reasoning: number | null;
  /** How many exchanges have usage from the service, from an estimate, or none at all: the sums miss the last. */
  readonly reported: number;
  readonly estimated: number;
  readonly unknown: number;
}

function keyOf(by: UsageKey): RawBuilder<string | null> {
  switch (by) {
    case 'day':
      return sql`strftime('%Y-%m-%d', started_at / 1000, 'unixepoch', 'localtime')`;
    case 'model':
      return MODEL;
    case 'client':
      return sql`client_name`;
  }
}

/** How many exchanges have this usage source. */
function sourced(source: 'reported' | 'estimated' | 'unknown') {
  return sql<number>`count(*) filter (where usage_source = ${source})`;
}

type Counted = 'input' | 'output' | 'cache_read' | 'cache_write' | 'reasoning';

/** Added up as floating point: whole numbers would overflow over what a service once claimed. */
function sumOf(count: Counted): RawBuilder<number | null> {
  return sql`sum(cast(${sql.ref(`usage_${count}`)} as real))`;
}

/** Usage per key: days newest first, models and clients by their tokens. `since` is Unix milliseconds, inclusive. */
export async function sumUsage(store: Store, by: UsageKey, since = 0): Promise<UsageRow[]> {
  const key = keyOf(by);
  const tokens = sql`total(usage_input) + total(usage_output)`;
  return store.db
    .selectFrom('exchange')
    .where('started_at', '>=', since)
    .groupBy(key)
    .select(({ fn }) => [
      key.as('key'),
      fn.countAll<number>().as('exchanges'),
      sql<number>`count(*) filter (where status >= 400 or error_code is not null)`.as('errors'),
      sumOf('input').as('input'),
      sumOf('output').as('output'),
      sumOf('cache_read').as('cacheRead'),
      sumOf('cache_write').as('cacheWrite'),
      sumOf('reasoning').as('reasoning'),
      sourced('reported').as('reported'),
      sourced('estimated').as('estimated'),
      sourced('unknown').as('unknown'),
    ])
    .orderBy(by === 'day' ? key : tokens, 'desc')
    .orderBy(key)
    .execute();
}
