import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ground } from './migrations/0001-ground.ts';
import { details } from './migrations/0002-details.ts';
import { connecting } from './migrations/0003-connecting.ts';
import { window } from './migrations/0004-window.ts';
import { videos } from './migrations/0005-videos.ts';
import { chat } from './migrations/0006-chat.ts';
import type { Tables } from './tables.ts';
import { storeError } from './thread.ts';

/** Every migration in its order. One that was released is never edited. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-ground': ground,
  '0002-details': details,
  '0003-connecting': connecting,
  '0004-window': window,
  '0005-videos': videos,
  '0006-chat': chat,
};

async function namesOf(db: Kysely<Tables>): Promise<readonly string[]> {
  const table = await sql`select 1 from sqlite_master where name = 'kysely_migration'`.execute(db);
  if (table.rows.length === 0) return [];
  const done = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return done.rows.map((row) => row.name);
}

async function migrateUp(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/**
 * Brings the tables of `file` up to date; does not write when they are. All or nothing, and safe while another process
 * does the same. Rejects with `newer` when it finds a migration that this program does not know.
 */
export async function migrate(db: Kysely<Tables>, file: string): Promise<void> {
  const done = await namesOf(db);
  if (done.some((name) => !(name in MIGRATIONS))) throw storeError('newer', file);
  if (Object.keys(MIGRATIONS).every((name) => done.includes(name))) return;
  await db.transaction().execute(migrateUp);
}
