import { existsSync, lstatSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import type { DatabaseKind } from './database-kinds.ts';
import {
  findMissing,
  listMissingStatements,
  readSchema,
  type Schema,
  createExpectedSchema,
  findSurplus,
} from './schema.ts';
import { DatabaseDamagedError, StoreError } from './store-error.ts';
import { toStoreError, createStoreError } from './database-worker.ts';

/** Facts of an existing and valid database, as far as they can be read without reading all of it. */
export interface Inspection {
  /** Names of the applied migrations. */
  readonly done: readonly string[];
  /** Schema that those migrations create. */
  readonly expected: Schema;
  /** Statements that create missing indices, views and triggers. */
  readonly missing: readonly string[];
  /** Bytes after the last complete page, which SQLite does not read. */
  readonly strayBytes: number;
  /** Whether an early version of Gatehouse created the file, without its application id. */
  readonly lacksApplicationId: boolean;
}

const BUSY_MS = 5_000;

/**
 * Inspects a database file without changing it, because a writing connection would apply the log of another database to it.
 * Returns `null` when there is no file.
 * @throws DatabaseDamagedError when the file is not a database of this kind, lacks tables or columns, or has those of a migration that is
 * not in its list; StoreError for a file of a newer Gatehouse and for one that cannot be read.
 */
export function inspect(file: string, kind: DatabaseKind): Inspection | null {
  const found = readFileSize(file);
  if (found === null) return null;
  // A database is created under another name and renamed when it is complete, so Gatehouse never creates an empty file.
  if (found === 0) throw new DatabaseDamagedError({ file, finding: 'it is empty (0 bytes)' });
  const { applicationId, done, schema, pageSize } = readState(file);
  const ours = done !== null && Object.keys(kind.migrations)[0] === done[0];
  if (applicationId !== kind.applicationId && !(applicationId === 0 && ours)) {
    throw new DatabaseDamagedError({ file, finding: describeForeign(schema) });
  }
  if (done === null) {
    throw new DatabaseDamagedError({ file, finding: 'its table "kysely_migration" is missing' });
  }
  const all = Object.keys(kind.migrations);
  const isNewer = done.length > all.length && all.every((name, at) => name === done[at]);
  if (isNewer) throw createStoreError('newer', file);
  const gap = findGap(done, kind);
  if (gap !== null) throw new DatabaseDamagedError({ file, finding: gap });
  const expected = createExpectedSchema(kind.migrations, done);
  const latest = done.length === all.length ? expected : createExpectedSchema(kind.migrations, all);
  const difference = findMissing(schema, expected) ?? findSurplus(schema, expected, latest);
  if (difference !== null) {
    const { finding, table } = difference;
    throw new DatabaseDamagedError({ file, finding, tables: table === null ? [] : [table] });
  }
  const unmarked = applicationId === 0;
  const missing = listMissingStatements(schema, expected);
  return { done, expected, missing, strayBytes: found % pageSize, lacksApplicationId: unmarked };
}

/**
 * Migrations are applied in order, so the applied ones must be the first ones. Describes the difference, without a full stop;
 * `null` when there is none.
 */
function findGap(done: readonly string[], { migrations }: DatabaseKind): string | null {
  if (done.length === 0) return 'its list of migrations is empty';
  const skipped = Object.keys(migrations).find((name, at) => at < done.length && name !== done[at]);
  return skipped === undefined
    ? null
    : `its list of migrations is incomplete: it lacks "${skipped}"`;
}

/** Returns the names of the applied migrations, also of a file that `inspect` rejects. Rejects with StoreError. */
export function readMigrationNames(file: string): readonly string[] {
  return readState(file).done ?? [];
}

/** Returns `null` when there is no file. */
function readFileSize(file: string): number | null {
  let found;
  try {
    found = lstatSync(file, { throwIfNoEntry: false });
  } catch (error) {
    throw createStoreError('unwritable', file, error);
  }
  if (found === undefined) return null;
  if (found.isDirectory()) {
    throw new DatabaseDamagedError({ file, finding: 'a folder is in its place' });
  }
  return found.size;
}

function describeForeign({ tables }: Schema): string {
  if (tables.size === 0) return 'it has no tables';
  const some = [...tables.keys()].slice(0, 3).map((name) => `"${name}"`);
  return `it belongs to another program, with the tables ${some.join(', ')}`;
}

interface DatabaseState {
  readonly applicationId: number;
  readonly pageSize: number;
  /** Names of the applied migrations; `null` when the file has no list of them. */
  readonly done: readonly string[] | null;
  readonly schema: Schema;
}

function readState(file: string): DatabaseState {
  let database: DatabaseSync | null = null;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
    // Reads everything from one moment, because another process may be changing the tables.
    database.exec('begin');
    const id: unknown = database.prepare('pragma application_id').get()?.['application_id'];
    const size: unknown = database.prepare('pragma page_size').get()?.['page_size'];
    const schema = readSchema(database);
    const done = schema.tables.has('kysely_migration')
      ? database.prepare('select name from kysely_migration order by name').all()
      : null;
    return {
      applicationId: Number(id),
      pageSize: Number(size),
      done: done?.map(({ name }) => String(name)) ?? null,
      schema,
    };
  } catch (error) {
    if (existsSync(`${file}-journal`)) throw createStoreError('interrupted', file, error);
    const known = toStoreError(error, file);
    if (known instanceof StoreError) throw known;
    const damage = { file, finding: 'it cannot be read', detail: known.message };
    throw new DatabaseDamagedError(damage, undefined, { cause: error });
  } finally {
    database?.close();
  }
}
