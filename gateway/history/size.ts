import { type Kysely, sql } from 'kysely';
import type { Store, Tables } from '../store/store.ts';
import { deleteExchanges } from './deleting.ts';
import { giveRoomBack } from './erase.ts';
import { removeOldWords, type SearchIndex } from './search-index.ts';

/** Sizes in bytes. */
interface DatabaseSize {
  /** What is in the database. */
  readonly used: number;
  /** With the room of what was deleted, which is used again. */
  readonly file: number;
}

/** How large the database is. */
export async function databaseSize(db: Kysely<Tables>): Promise<DatabaseSize> {
  const { rows } = await sql<{ size: number; pages: number; free: number }>`
    select page_size as size, page_count as pages, freelist_count as free
    from pragma_page_size, pragma_page_count, pragma_freelist_count`.execute(db);
  const { size = 0, pages = 0, free = 0 } = rows[0] ?? {};
  return { used: size * (pages - free), file: size * pages };
}

export interface SizePruning {
  /** The most that the database may take, in bytes. */
  readonly bytes: number;
  readonly index: SearchIndex;
  /** Ends the work early. */
  readonly signal: AbortSignal;
}

/** Down to this part of it, so that not every exchange that comes deletes another. */
const LOW = 0.95;
/** The newest that stay in any case: what takes the room then is no history. */
const LEAST = 100;
/** The part of the file that is free above which it is written anew. */
const MUCH_FREE = 0.1;

/** Deletes the oldest exchanges when the database is larger than it may be. Resolves with how many. */
export async function pruneToSize(store: Store, pruning: SizePruning): Promise<number> {
  const { bytes, index, signal } = pruning;
  if ((await databaseSize(store.db)).used > bytes) {
    const indexed = await index.exists();
    const newest = sql`(select seq from exchange order by seq desc limit 1 offset ${LEAST - 1})`;
    const next = async (inside: Kysely<Tables>) =>
      (await databaseSize(inside)).used > bytes * LOW
        ? sql`where seq < ${newest} order by started_at, seq`
        : null;
    const deleted = await deleteExchanges(store, { next, indexed, signal });
    if (indexed && deleted > 0) await removeOldWords(store);
    await shrink(store, pruning);
    return deleted;
  }
  await shrink(store, pruning);
  return 0;
}

async function shrink(store: Store, { bytes, signal }: SizePruning): Promise<void> {
  const { used, file } = await databaseSize(store.db);
  if (file > bytes && used < file * (1 - MUCH_FREE) && !signal.aborted) await giveRoomBack(store);
}
