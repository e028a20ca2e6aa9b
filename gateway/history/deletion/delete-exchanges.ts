import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { Store, Tables } from '../../store/store.ts';
import { removeFromIndex, type SearchIndex } from '../search/search-index.ts';
import { subtractFromUsage } from '../usage/usage-rollup.ts';
import { subtractFromTotals } from '../usage/usage-totals.ts';

/** Batches are small, so that other work can run in between. */
export const BATCH_SIZE = 500;

export interface DeleteOptions {
  /**
   * Selects the exchanges to delete, as the SQL after `from exchange`: a condition and an order, oldest first. Called for each
   * batch, inside its transaction. `null` when none remain.
   */
  readonly next: (trx: Kysely<Tables>) => Promise<RawBuilder<unknown> | null>;
  /** Whether they are in the search index as well. */
  readonly indexed: boolean;
  /** Stops the work after the current batch. */
  readonly signal: AbortSignal;
  /** Called in the transaction of the last batch. */
  readonly atEnd?: (trx: Kysely<Tables>) => Promise<unknown>;
}

/**
 * Deletes exchanges in batches. Each batch removes them in one transaction from the totals, the headers, the marks and the search index,
 * so that rows and totals agree after any interruption. Resolves with the number of rows.
 */
export async function deleteExchanges(store: Store, options: DeleteOptions): Promise<number> {
  let deleted = 0;
  while (!options.signal.aborted) {
    const count = await store.db
      .transaction()
      .execute(async (trx) => await deleteBatch(trx, options));
    deleted += count;
    if (count < BATCH_SIZE) break;
  }
  return deleted;
}

/** Deletes these exchanges. Resolves with the number of those that there were. */
export async function deleteById(
  store: Store,
  ids: readonly ExchangeId[],
  { index, signal }: { readonly index: SearchIndex; readonly signal: AbortSignal },
): Promise<number> {
  const listed = JSON.stringify(ids);
  const these = sql`where id in (select value from json_each(${listed})) order by started_at, seq`;
  const next = () => Promise.resolve(these);
  return await deleteExchanges(store, { next, indexed: await index.exists(), signal });
}

async function deleteBatch(
  trx: Kysely<Tables>,
  { next, indexed, atEnd }: DeleteOptions,
): Promise<number> {
  const target = await next(trx);
  const { rows } =
    target === null
      ? { rows: [] }
      : await sql<{ seq: number }>`select seq from exchange ${target} limit ${BATCH_SIZE}`.execute(
          trx,
        );
  if (rows.length > 0) {
    const seqs = sql<number>`(select value from json_each(${JSON.stringify(rows.map(({ seq }) => seq))}))`;
    if (indexed) await removeFromIndex(trx, seqs);
    await subtractFromTotals(trx, seqs);
    await subtractFromUsage(trx, seqs);
    await trx.deleteFrom('exchange').where('seq', 'in', seqs).execute();
  }
  if (rows.length < BATCH_SIZE) await atEnd?.(trx);
  return rows.length;
}
