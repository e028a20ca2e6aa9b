import { sql } from 'kysely';
import type { Store } from '../store/store.ts';

const BATCH = 500;

/**
 * Deletes exchanges that started before `olderThan` (Unix milliseconds), 500 at a time, so that other work gets its turn
 * in between. Stops early when `signal` is aborted. Resolves with how many were deleted.
 */
export async function pruneExchanges(
  store: Store,
  olderThan: number,
  signal: AbortSignal,
): Promise<number> {
  let deleted = 0;
  while (!signal.aborted) {
    const old = sql<number>`(select seq from exchange where started_at < ${olderThan} order by started_at limit ${BATCH})`;
    // One batch after the other: this is what leaves room for others.
    const result = await store.db.deleteFrom('exchange').where('seq', 'in', old).executeTakeFirst();
    const count = Number(result.numDeletedRows);
    deleted += count;
    if (count < BATCH) break;
  }
  return deleted;
}

/** Deletes every exchange, in batches as above. Resolves with how many. */
export function eraseExchanges(store: Store, signal: AbortSignal): Promise<number> {
  return pruneExchanges(store, Number.MAX_SAFE_INTEGER, signal);
}
