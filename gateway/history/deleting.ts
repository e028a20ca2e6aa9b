import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Store, Tables } from '../store/store.ts';
import { removeFromIndex } from './search-index.ts';
import { takeOffSums } from './sums.ts';

/** One batch after the other: other work gets its turn in between. */
export const BATCH = 500;

export interface Deleting {
  /**
   * Which exchanges go, as what stands after `from exchange`: a condition and an order, the oldest first. Asked for each batch, inside
   * its transaction. `null` when no more are to go.
   */
  readonly next: (inside: Kysely<Tables>) => Promise<RawBuilder<unknown> | null>;
  /** Whether they are in the search index, too. */
  readonly indexed: boolean;
  /** Ends the work after a batch. */
  readonly signal: AbortSignal;
  /** Called in the transaction of the batch after which none is left. */
  readonly atEnd?: (inside: Kysely<Tables>) => Promise<unknown>;
}

/**
 * Deletes exchanges in batches, each in one transaction with what they add to the sums, their headers and their place in the search index:
 * whenever it is interrupted, rows and sums agree. Resolves with the number of rows.
 */
export async function deleteExchanges(store: Store, deleting: Deleting): Promise<number> {
  let deleted = 0;
  while (!deleting.signal.aborted) {
    const count = await store.db
      .transaction()
      .execute(async (inside) => await deleteBatch(inside, deleting));
    deleted += count;
    if (count < BATCH) break;
  }
  return deleted;
}

async function deleteBatch(
  inside: Kysely<Tables>,
  { next, indexed, atEnd }: Deleting,
): Promise<number> {
  const which = await next(inside);
  const { rows } =
    which === null
      ? { rows: [] }
      : await sql<{ seq: number }>`select seq from exchange ${which} limit ${BATCH}`.execute(
          inside,
        );
  if (rows.length > 0) {
    const seqs = sql<number>`(select value from json_each(${JSON.stringify(rows.map(({ seq }) => seq))}))`;
    if (indexed) await removeFromIndex(inside, seqs);
    await takeOffSums(inside, seqs);
    await inside.deleteFrom('exchange').where('seq', 'in', seqs).execute();
  }
  if (rows.length < BATCH) await atEnd?.(inside);
  return rows.length;
}
