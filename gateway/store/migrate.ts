import type { Kysely } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { initial } from './migrations/0001-ground.ts';
import { details } from './migrations/0002-details.ts';
import { connecting } from './migrations/0003-connecting.ts';
import { window } from './migrations/0004-window.ts';
import { videos } from './migrations/0005-videos.ts';
import { orderIdentity } from './migrations/0006-order-identity.ts';
import { historyBounds } from './migrations/0007-history-bounds.ts';
import { orderUptime } from './migrations/0008-order-uptime.ts';
import { orderBoot } from './migrations/0009-order-boot.ts';
import { conversations } from './chat-migrations/0001-conversations.ts';

/** Migrations in order. A released migration is never edited. */
type Migrations = Readonly<Record<string, Migration>>;

/** Migrations of `gatehouse.db`. */
export const MIGRATIONS: Migrations = {
  '0001-ground': initial,
  '0002-details': details,
  '0003-connecting': connecting,
  '0004-window': window,
  '0005-videos': videos,
  '0006-order-identity': orderIdentity,
  '0007-history-bounds': historyBounds,
  '0008-order-uptime': orderUptime,
  '0009-order-boot': orderBoot,
};

export const CHAT_MIGRATIONS: Migrations = { '0001-conversations': conversations };

async function migrateUp<Tables>(db: Kysely<Tables>, migrations: Migrations): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw error;
}

/** Runs the missing migrations, all or none. Safe while another process does the same. */
export async function migrate<Tables>(db: Kysely<Tables>, migrations: Migrations): Promise<void> {
  await db.transaction().execute(async (trx) => await migrateUp(trx, migrations));
}
