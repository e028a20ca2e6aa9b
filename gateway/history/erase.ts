import { type Kysely, sql } from 'kysely';
import { type Store, StoreError, type Tables } from '../store/store.ts';
import { deleteExchanges } from './delete-exchanges.ts';
import { clearIndex, type SearchIndex } from './search-index.ts';

export interface EraseOptions {
  readonly index: SearchIndex;
  /** Ends the work early; the next start goes on with it. */
  readonly signal: AbortSignal;
}

/** The setting that says up to which `seq` an erasure goes that has begun. */
const ERASE_SETTING = 'history-erased-up-to';

/**
 * Deletes every exchange there is now, and none that is recorded later. Resolves with how many this call deleted; the file has given
 * their room back then, unless another process holds it. May be called again while it runs, also by another process.
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

/** Goes on with an erasure that has begun, if one has: the last process may have ended in the middle. Resolves with the number of exchanges. */
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
  const begun = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', ERASE_SETTING)
    .executeTakeFirst();
  return begun === undefined ? null : Number(begun.value);
}

/** Makes the file as small as what is in it. It stays as it is while another process holds it. */
export async function vacuum({ db }: Store): Promise<void> {
  try {
    await sql`vacuum`.execute(db);
    await sql`pragma wal_checkpoint(truncate)`.execute(db);
  } catch (error) {
    // What was asked for is done: the room is used again by what is recorded next.
    if (!(error instanceof StoreError)) throw error;
  }
}
