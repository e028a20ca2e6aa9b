import { type Kysely, sql } from 'kysely';
import { type Store, StoreError, type Tables } from '../../store/store.ts';
import { deleteExchanges } from './delete-exchanges.ts';
import { clearIndex, type SearchIndex } from '../search/search-index.ts';

export interface EraseOptions {
  readonly index: SearchIndex;
  /** Stops the work early; the next start continues it. */
  readonly signal: AbortSignal;
}

/** Setting that holds the highest `seq` of an erasure in progress. */
const ERASE_SETTING = 'history-erased-up-to';

/**
 * Deletes every exchange that exists now, and none that is recorded later. Resolves with the number that this call deleted.
 * The file has then returned its space, unless another process holds it. May be called again while it runs, also by another
 * process.
 */
export async function erase(store: Store, { index, signal }: EraseOptions): Promise<number> {
  await index.mutex.runExclusive(async () => {
    const indexed = await index.exists();
    await store.db.transaction().execute(async (trx) => {
      const { seq } = await trx
        .selectFrom('exchange')
        .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
        .executeTakeFirstOrThrow();
      if (indexed) await clearIndex(trx);
      const value = JSON.stringify(seq ?? 0);
      await trx
        .insertInto('setting')
        .values({ key: ERASE_SETTING, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute();
    });
    index.reset();
  });
  return await finishErase(store, { index, signal });
}

/** Continues an erasure that an earlier process did not finish. Resolves with the number of exchanges. */
export async function finishErase(store: Store, { index, signal }: EraseOptions): Promise<number> {
  if ((await readEraseLimit(store.db)) === null) return 0;
  const deleted = await deleteExchanges(store, {
    next: async (trx) => {
      const last = await readEraseLimit(trx);
      return last === null ? null : sql`where seq <= ${last} order by started_at, seq`;
    },
    indexed: await index.exists(),
    signal,
    atEnd: (trx) => trx.deleteFrom('setting').where('key', '=', ERASE_SETTING).execute(),
  });
  if (!signal.aborted) await vacuum(store);
  return deleted;
}

async function readEraseLimit(db: Kysely<Tables>): Promise<number | null> {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', ERASE_SETTING)
    .executeTakeFirst();
  return row === undefined ? null : Number(row.value);
}

/** Shrinks the file to its content. The file stays as it is while another process holds it. */
export async function vacuum({ db }: Store): Promise<void> {
  try {
    await sql`vacuum`.execute(db);
    await sql`pragma wal_checkpoint(truncate)`.execute(db);
  } catch (error) {
    // The deletion itself is done: the free space is used by later records.
    if (!(error instanceof StoreError)) throw error;
  }
}
