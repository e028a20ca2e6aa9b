import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ground } from './migrations/0001-ground.ts';
import { details } from './migrations/0002-details.ts';
import { connecting } from './migrations/0003-connecting.ts';
import { window } from './migrations/0004-window.ts';
import { videos } from './migrations/0005-videos.ts';
import { historyBounds } from './migrations/0007-history-bounds.ts';
import { conversations } from './chat-migrations/0001-conversations.ts';
import { storeError } from './thread.ts';

/** Migrations in their order. One that was released is never edited. */
type Migrations = Readonly<Record<string, Migration>>;

/** Those of everything but the chat. */
export const MIGRATIONS: Migrations = {
  '0001-ground': ground,
  '0002-details': details,
  '0003-connecting': connecting,
  '0004-window': window,
  '0005-videos': videos,
  '0007-history-bounds': historyBounds,
};

export const CHAT_MIGRATIONS: Migrations = { '0001-conversations': conversations };

async function namesOf<Tables>(db: Kysely<Tables>): Promise<readonly string[]> {
  const table = await sql`select 1 from sqlite_master where name = 'kysely_migration'`.execute(db);
  if (table.rows.length === 0) return [];
  const done = await sql<{ name: string }>`select name from kysely_migration`.execute(db);
  return done.rows.map((row) => row.name);
}

async function migrateUp<Tables>(db: Kysely<Tables>, migrations: Migrations): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Which tables, and in which file. */
export interface Migrating {
  readonly migrations: Migrations;
  readonly file: string;
}

/**
 * Brings the tables of `file` up to date; does not write when they are. All or nothing, and safe while another process
 * does the same. Rejects with `newer` when it finds a migration that this program does not know.
 */
export async function migrate<Tables>(
  db: Kysely<Tables>,
  { migrations, file }: Migrating,
): Promise<void> {
  const done = await namesOf(db);
  if (done.some((name) => !(name in migrations))) throw storeError('newer', file);
  if (Object.keys(migrations).every((name) => done.includes(name))) return;
  await db.transaction().execute(async (inside) => await migrateUp(inside, migrations));
}
