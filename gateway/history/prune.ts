import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../store/store.ts';
import { toDay, startOfDay } from './days.ts';
import { BATCH_SIZE, deleteExchanges } from './delete-exchanges.ts';
import { removeOldWords, type SearchIndex } from './search-index.ts';

/**
 * Retention of exchanges and headers in days (0: headers are never stored), and the maximum size of the database in bytes;
 * unlimited by default.
 */
export interface RetentionPolicy {
  readonly days: number;
  readonly headersDays: number;
  readonly bytes?: number;
}

export interface PruneOptions {
  readonly retention: RetentionPolicy;
  readonly index: SearchIndex;
  /** Unix time in milliseconds, of a trusted clock, because deletion is final. */
  readonly now: number;
  /** Stops the work early. */
  readonly signal: AbortSignal;
}

const DAY_MS = 24 * 3_600_000;

/**
 * Deletes expired data: exchanges at the end of their local day, headers to the minute. Resolves with the number of exchanges.
 */
export async function prune(store: Store, options: PruneOptions): Promise<number> {
  const { retention, now, index, signal } = options;
  await pruneHeaders(store, { before: now - retention.headersDays * DAY_MS, now, signal });
  const before = startOfDay(toDay(now - retention.days * DAY_MS));
  const old = sql`where started_at < ${before} and kept_since < ${before} order by started_at, seq`;
  const indexed = await index.exists();
  const deleted = await deleteExchanges(store, { next: toNext(old), indexed, signal });
  if (indexed && deleted > 0) await removeOldWords(store);
  return deleted;
}

function toNext(which: RawBuilder<unknown>) {
  return () => Promise.resolve(which);
}

interface PruneHeadersOptions {
  /** Unix times in milliseconds. */
  readonly before: number;
  readonly now: number;
  readonly signal: AbortSignal;
}

async function pruneHeaders(
  store: Store,
  { before, now, signal }: PruneHeadersOptions,
): Promise<void> {
  const joined = sql`exchange_head cross join exchange on exchange.seq = exchange_head.seq`;
  // Both scan from the oldest and stop at the first that is kept.
  const firstKept = sql`(select exchange_head.seq from ${joined}
    where kept_since between ${before} and ${now} order by exchange_head.seq limit 1)`;
  const old = sql<number>`(select exchange_head.seq from ${joined}
    where exchange_head.seq < coalesce(${firstKept}, ${Number.MAX_SAFE_INTEGER}) and kept_since < ${before} limit ${BATCH_SIZE})`;
  while (!signal.aborted) {
    const { numDeletedRows } = await store.db
      .deleteFrom('exchange_head')
      .where('seq', 'in', old)
      .executeTakeFirst();
    if (numDeletedRows < BATCH_SIZE) break;
  }
}
