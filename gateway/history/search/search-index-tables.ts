import { type Kysely, sql } from 'kysely';
import { type Store, StoreError, type Tables } from '../../store/store.ts';

/** Version of the index content. Another version rebuilds the index. */
const VERSION = 9;

const TABLES = ['exchange_text', 'exchange_word', 'exchange_index'];
const CREATE_STATEMENTS = [
  `create virtual table exchange_text using fts5 (
    words, content='', contentless_delete=1, detail=none, tokenize="ascii tokenchars '_~^'"
  )`,
  'create table exchange_word (word text not null primary key, day text not null) strict, without rowid',
  'create table exchange_index (version integer not null, unindexed integer not null) strict',
];
/** Returns the highest `seq` that is not indexed yet, 0 for none; `null` when there is no index of this version. */
export async function countUnindexed({ db }: Store): Promise<number | null> {
  const made = await sql`select 1 from sqlite_master where name = 'exchange_index'`.execute(db);
  if (made.rows.length === 0) return null;
  const state = sql<{
    unindexed: number;
  }>`select unindexed from exchange_index where version = ${VERSION}`;
  return (await state.execute(db)).rows[0]?.unindexed ?? null;
}

/** Makes the next start rebuild the index, whatever happens to it until then. */
export async function disownIndex({ db }: Store): Promise<void> {
  const made = await sql`select 1 from sqlite_master where name = 'exchange_index'`.execute(db);
  if (made.rows.length > 0) await sql`delete from exchange_index`.execute(db);
}

/**
 * Recreates the tables of the index. Resolves with the highest `seq`, which is not indexed yet. Rejects when this SQLite has
 * no full-text search.
 */
export async function createIndex({ db }: Store): Promise<number> {
  return await db.transaction().execute(async (trx) => {
    for (const name of TABLES) await sql`drop table if exists ${sql.table(name)}`.execute(trx);
    for (const statement of CREATE_STATEMENTS) await sql.raw(statement).execute(trx);
    const { seq } = await trx
      .selectFrom('exchange')
      .select(({ fn }) => fn.max<number | null>('seq').as('seq'))
      .executeTakeFirstOrThrow();
    await sql`insert into exchange_index values (${VERSION}, ${seq ?? 0})`.execute(trx);
    return seq ?? 0;
  });
}

/**
 * Finds damage of the index by `reading` or `writing` a row, and returns SQLite's message; `null` when there is none, when the
 * index was never created, and when it cannot be tested, as on a full disk. Changes nothing.
 */
export async function findIndexDamage(
  { db }: Store,
  how: 'reading' | 'writing',
): Promise<string | null> {
  const made = await sql`select 1 from sqlite_master where name = 'exchange_index'`.execute(db);
  if (made.rows.length === 0) return null;
  try {
    await checkReading(db);
    if (how === 'writing') await checkWriting(db);
    return null;
  } catch (error) {
    if (error instanceof StoreError && error.code !== 'corrupt') return null;
    return error instanceof Error ? error.message : String(error);
  }
}

async function checkReading(db: Kysely<Tables>): Promise<void> {
  await sql`select version, unindexed from exchange_index`.execute(db);
  await sql`select day from exchange_word where word = ''`.execute(db);
  // Selects no rowid: it has more digits than a JavaScript number.
  await sql`select 1 from exchange_text where exchange_text match '"_s0"' limit 1`.execute(db);
}

async function checkWriting(db: Kysely<Tables>): Promise<void> {
  const trx = await db.startTransaction().execute();
  try {
    await sql`insert into exchange_word values ('', '') on conflict do nothing`.execute(trx);
    await sql`insert into exchange_text (rowid, words) values (-1, '')`.execute(trx);
    // The savepoint flushes the inserted row to the tables behind the index.
    await sql`savepoint written`.execute(trx);
    await sql`delete from exchange_text where rowid = -1`.execute(trx);
    await sql`savepoint deleted`.execute(trx);
  } finally {
    await trx.rollback().execute();
  }
}
