import { Mutex } from 'async-mutex';
import { mkdtempDisposable } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { DATABASE_KINDS, type DatabaseKind } from './database-kinds.ts';
import { startWorker } from './database-worker.ts';
import { createDialect } from './dialect.ts';
import { migrate } from './migrate.ts';
import { createSchema } from './schema.ts';

test.for(Object.values(DATABASE_KINDS))(
  'the tables of a new $name.db are those that the migrations make one after the other',
  async (kind) => {
    await using folder = await mkdtempDisposable(join(tmpdir(), 'gatehouse-schema-'));
    const created = join(folder.path, 'created.db');
    createSchema(new DatabaseSync(created), kind.migrations);
    const migrated = join(folder.path, 'migrated.db');
    await migrateFile(migrated, kind);
    expect(readAll(created)).toEqual(readAll(migrated));
  },
);

async function migrateFile(file: string, { migrations }: DatabaseKind): Promise<void> {
  const worker = await startWorker().open(file, { alone: false, secureDelete: false });
  try {
    const db = new Kysely<never>({ dialect: createDialect(worker, new Mutex()) });
    await migrate(db, migrations);
  } finally {
    await worker.close();
  }
}

/** Reads every object with its statement, and what the migrations note about themselves. */
function readAll(file: string) {
  using database = new DatabaseSync(file, { readOnly: true });
  const read = (sql: string) => database.prepare(sql).all();
  return {
    objects: read('select type, name, tbl_name, sql from sqlite_schema order by type, name'),
    migrations: read('select name from kysely_migration order by name'),
    lock: read('select * from kysely_migration_lock'),
  };
}
