import { DatabaseSync } from 'node:sqlite';
import { Kysely, SqliteDialect } from 'kysely';
import { Adapter } from './dialect.ts';
import type { DatabaseKind } from './database-kinds.ts';
import { migrate } from './migrate.ts';

/** The tables and indices of a database, as SQLite describes them. */
export interface Schema {
  /** Columns by table. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** Statements of objects that are not created with their table, by name: tables first, then indices, views and triggers. */
  readonly statements: ReadonlyMap<string, string>;
}

/** A difference between a database and the schema of its migrations. */
export interface Difference {
  /** Description without a full stop. */
  readonly finding: string;
  /** `null` when it concerns the file as a whole. */
  readonly table: string | null;
}

/** Reads the schema of a database. Throws SQLite's error for a damaged file. */
export function readSchema(database: DatabaseSync): Schema {
  const columns = database
    .prepare(
      `select m.name as "table", c.name as "column" from sqlite_schema m, pragma_table_info(m.name) c
       where m.type = 'table'`,
    )
    .all();
  const tables = new Map<string, string[]>();
  for (const { table, column } of columns) {
    const known = tables.get(String(table)) ?? [];
    tables.set(String(table), [...known, String(column)]);
  }
  const made = database
    .prepare(
      `select name, sql from sqlite_schema where sql is not null and name not like 'sqlite^_%' escape '^'
       order by type <> 'table', rowid`,
    )
    .all();
  return {
    tables,
    statements: new Map(made.map(({ name, sql }) => [String(name), String(sql)])),
  };
}

/** Creates the schema of these migrations by applying them to an empty database in memory, which takes a few milliseconds. */
export async function createExpectedSchema(
  { migrations }: DatabaseKind,
  names: readonly string[],
): Promise<Schema> {
  const selected = Object.entries(migrations).filter(([name]) => names.includes(name));
  return await createSchema(new DatabaseSync(':memory:'), Object.fromEntries(selected));
}

/** Applies the migrations to an empty database, closes it, and resolves with its schema. Rejects with SQLite's error. */
export async function createSchema(
  database: DatabaseSync,
  migrations: DatabaseKind['migrations'],
): Promise<Schema> {
  const db = new Kysely<never>({ dialect: createInProcessDialect(database) });
  try {
    await migrate(db, migrations);
    return readSchema(database);
  } finally {
    await db.destroy();
  }
}

/** Finds the first missing table or column; `null` when all are there. */
export function findMissing(found: Schema, expected: Schema): Difference | null {
  for (const [table, columns] of expected.tables) {
    const foundColumns = found.tables.get(table);
    if (foundColumns === undefined) return { table, finding: `its table "${table}" is missing` };
    const column = columns.find((name) => !foundColumns.includes(name));
    if (column !== undefined) {
      return { table, finding: `its table "${table}" has no column "${column}"` };
    }
  }
  return null;
}

/** Finds the first table, column, index or trigger of a migration that was not applied; `null` when there is none. */
export function findSurplus(found: Schema, expected: Schema, latest: Schema): Difference | null {
  for (const [table, columns] of latest.tables) {
    const foundColumns = found.tables.get(table);
    if (foundColumns === undefined) continue;
    const known = expected.tables.get(table);
    if (known === undefined)
      return { table: null, finding: describeSurplus(`the table "${table}"`) };
    const column = columns.find((name) => foundColumns.includes(name) && !known.includes(name));
    if (column !== undefined) {
      return {
        table: null,
        finding: describeSurplus(`the column "${column}" of the table "${table}"`),
      };
    }
  }
  const beside = [...latest.statements.keys()].find(
    (name) => found.statements.has(name) && !expected.statements.has(name),
  );
  return beside === undefined ? null : { table: null, finding: describeSurplus(`"${beside}"`) };
}

function describeSurplus(object: string): string {
  return `its list of migrations is incomplete: it lacks the one that made ${object}`;
}

/** Lists the statements that create missing indices, views and triggers. */
export function listMissingStatements(found: Schema, expected: Schema): readonly string[] {
  return [...expected.statements]
    .filter(([name]) => !found.statements.has(name) && !expected.tables.has(name))
    .map(([, sql]) => sql);
}

class InProcessDialect extends SqliteDialect {
  override createAdapter() {
    return new Adapter();
  }
}

/** Creates Kysely's own dialect for a database of `node:sqlite` in this thread. */
function createInProcessDialect(database: DatabaseSync): SqliteDialect {
  return new InProcessDialect({
    database: {
      close: () => database.close(),
      prepare: (sql) => {
        const statement = database.prepare(sql);
        return {
          reader: statement.columns().length > 0,
          all: (parameters) => statement.all(...parameters.map(toParameter)),
          run: (parameters) => statement.run(...parameters.map(toParameter)),
          iterate: (parameters) => statement.iterate(...parameters.map(toParameter)),
        };
      },
    },
  });
}

function toParameter(value: unknown): string | number | bigint | null {
  if (value === null || typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  throw new TypeError(`Migrations pass no ${typeof value}.`);
}
