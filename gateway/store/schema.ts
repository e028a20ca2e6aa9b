import { DatabaseSync } from 'node:sqlite';

/** A change of the tables. A released one is never edited. */
export interface Migration {
  /** Returns its statements in order; they have no parameters. */
  readonly statements: () => readonly string[];
  /** Fills the new tables from existing rows after that, a bounded number at a time. An empty database does not need it. */
  readonly fill?: (run: RunStatement) => Promise<void>;
}

/** Migrations by name, in the order in which they are applied. */
export type Migrations = Readonly<Record<string, Migration>>;

/** Runs one statement and resolves with its rows. */
export type RunStatement = (
  statement: string,
) => Promise<readonly Readonly<Record<string, unknown>>[]>;

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

/** Schemas by the names of their migrations: a start needs the same one several times. */
const EXPECTED = new Map<string, Schema>();

/** Returns the schema that these migrations create, by applying them to an empty database in memory. */
export function createExpectedSchema(migrations: Migrations, names: readonly string[]): Schema {
  const selected = Object.entries(migrations).filter(([name]) => names.includes(name));
  const key = selected.map(([name]) => name).join();
  const known = EXPECTED.get(key);
  if (known !== undefined) return known;
  const schema = createSchema(new DatabaseSync(':memory:'), Object.fromEntries(selected));
  EXPECTED.set(key, schema);
  return schema;
}

/**
 * The tables in which Kysely's `Migrator` notes what it has applied. They are created here without it, because its questions take longer
 * than all migrations.
 */
const NOTES = [
  'create table "kysely_migration" ("name" varchar(255) not null primary key, "timestamp" varchar(255) not null)',
  'create table "kysely_migration_lock" ("id" varchar(255) not null primary key, "is_locked" integer default 0 not null)',
  `insert into "kysely_migration_lock" ("id", "is_locked") values ('migration_lock', 0)`,
];

/** Applies the migrations to an empty database, closes it, and returns its schema. @throws SQLite's error */
export function createSchema(database: DatabaseSync, migrations: Migrations): Schema {
  try {
    const statements = Object.values(migrations).flatMap((migration) => migration.statements());
    database.exec(`begin; ${[...NOTES, ...statements].join(';\n')}`);
    const note = database.prepare('insert into kysely_migration values (?, ?)');
    const now = new Date().toISOString();
    for (const name of Object.keys(migrations)) note.run(name, now);
    database.exec('commit');
    return readSchema(database);
  } finally {
    database.close();
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
