import { type Kysely, sql } from 'kysely';
import type { Store, Tables } from '../../store/store.ts';
import { deleteExchanges } from './delete-exchanges.ts';
import { vacuum } from './erase.ts';
import { IS_PINNED } from '../marks/pinned.ts';
import { removeOldWords } from './old-words.ts';
import type { SearchIndex } from '../search/search-index.ts';

/** Sizes in bytes. */
interface DatabaseSize {
  /** Size of the content. */
  readonly used: number;
  /** Size with the space of deleted rows, which is reused. */
  readonly file: number;
}

/** Returns the size of the database. */
export async function readDatabaseSize(db: Kysely<Tables>): Promise<DatabaseSize> {
  const { rows } = await sql<{ size: number; pages: number; free: number }>`
    select page_size as size, page_count as pages, freelist_count as free
    from pragma_page_size, pragma_page_count, pragma_freelist_count`.execute(db);
  const { size = 0, pages = 0, free = 0 } = rows[0] ?? {};
  return { used: size * (pages - free), file: size * pages };
}

export interface PruneToSizeOptions {
  /** Maximum size of the database, in bytes. */
  readonly bytes: number;
  readonly index: SearchIndex;
  /** Stops the work early. */
  readonly signal: AbortSignal;
}

/** Prunes to this share of the maximum, so that not every new exchange deletes another. */
const TARGET_SHARE = 0.95;
/** Number of newest exchanges that always stay: if these exceed the size, the space is used by something else. */
const MIN_ROWS_KEPT = 100;
/** The file is vacuumed when more than this share of it is free. */
const MAX_FREE_SHARE = 0.1;

/** Deletes the oldest exchanges when the database exceeds its maximum size, pinned ones last. Resolves with their number. */
export async function pruneToSize(store: Store, options: PruneToSizeOptions): Promise<number> {
  const { bytes, index, signal } = options;
  if ((await readDatabaseSize(store.db)).used > bytes) {
    const indexed = await index.exists();
    const newest = sql`(select seq from exchange order by seq desc limit 1 offset ${MIN_ROWS_KEPT - 1})`;
    let deleted = 0;
    for (const which of [sql`not ${IS_PINNED}`, IS_PINNED]) {
      const next = async (trx: Kysely<Tables>) =>
        (await readDatabaseSize(trx)).used > bytes * TARGET_SHARE
          ? sql`where seq < ${newest} and ${which} order by started_at, seq`
          : null;
      deleted += await deleteExchanges(store, { next, indexed, signal });
    }
    if (indexed && deleted > 0) await removeOldWords(store);
    await shrink(store, options);
    return deleted;
  }
  await shrink(store, options);
  return 0;
}

async function shrink(store: Store, { bytes, signal }: PruneToSizeOptions): Promise<void> {
  const { used, file } = await readDatabaseSize(store.db);
  if (file > bytes && used < file * (1 - MAX_FREE_SHARE) && !signal.aborted) await vacuum(store);
}
