import { type RawBuilder, sql } from 'kysely';
import type { Store } from '../../store/store.ts';
import { formatDay } from '../../../shared/format.ts';
import { startOfDay } from '../days.ts';
import { BATCH_SIZE, deleteExchanges } from './delete-exchanges.ts';
import { IS_PINNED } from '../marks/pinned.ts';
import { removeOldWords } from './old-words.ts';
import type { SearchIndex } from '../search/search-index.ts';

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
 * Deletes expired data, but not that of pinned exchanges: exchanges at the end of their local day, headers to the minute. Headers
 * are deleted of all exchanges when none are kept. Resolves with the number of exchanges.
 */
export async function prune(store: Store, options: PruneOptions): Promise<number> {
  const { retention, now, index, signal } = options;
  await pruneHeaders(store, {
    before: now - retention.headersDays * DAY_MS,
    now,
    all: retention.headersDays === 0,
    signal,
  });
  const before = startOfDay(formatDay(now - retention.days * DAY_MS));
  const old = sql`where started_at < ${before} and kept_since < ${before} and not ${IS_PINNED} order by started_at, seq`;
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
  /** Whether those of pinned exchanges are deleted, too. */
  readonly all: boolean;
  readonly signal: AbortSignal;
}

async function pruneHeaders(
  store: Store,
  { before, now, all, signal }: PruneHeadersOptions,
): Promise<void> {
  const joined = sql`exchange_head cross join exchange on exchange.seq = exchange_head.seq`;
  // Both scan from the oldest and stop at the first that is kept.
  const firstKept = sql`(select exchange_head.seq from ${joined}
    where kept_since between ${before} and ${now} order by exchange_head.seq limit 1)`;
  const old = sql<number>`(select exchange_head.seq from ${joined}
    where exchange_head.seq < coalesce(${firstKept}, ${Number.MAX_SAFE_INTEGER}) and kept_since < ${before}
    and (${all ? 1 : 0} or not ${IS_PINNED}) limit ${BATCH_SIZE})`;
  while (!signal.aborted) {
    const { numDeletedRows } = await store.db
      .deleteFrom('exchange_head')
      .where('seq', 'in', old)
      .executeTakeFirst();
    if (numDeletedRows < BATCH_SIZE) break;
  }
}
