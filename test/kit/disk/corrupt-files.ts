import {
  copyFileSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';

/** Edits the bytes of a file. */
export function editFile(folder: string, name: string, edit: (bytes: Buffer) => void): void {
  const file = join(folder, name);
  const bytes = readFileSync(file);
  edit(bytes);
  writeFileSync(file, bytes);
}

/** Returns the same numbers for the same seed: a linear congruential generator (Numerical Recipes). */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Flips bytes after the first page. */
export function flip(
  folder: string,
  name: string,
  { seed, bytes: count }: { seed: number; bytes: number },
) {
  editFile(folder, name, (bytes) => {
    const random = randomFrom(seed);
    for (let flipped = 0; flipped < count; flipped += 1) {
      const at = 4096 + Math.floor(random() * (bytes.length - 4096));
      bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    }
  });
}

/** Truncates a file. */
export function truncate(folder: string, name: string, toBytes: (size: number) => number): void {
  const file = join(folder, name);
  truncateSync(file, toBytes(statSync(file).size));
}

/** Changes a database like any other program. */
export function runSql(folder: string, name: string, sql: string): void {
  const database = new DatabaseSync(join(folder, name), { enableDoubleQuotedStringLiterals: true });
  try {
    database.exec(sql);
  } finally {
    database.close();
  }
}

/** Counts the rows of a table. */
export function countRows(folder: string, name: string, table: string): number {
  const database = new DatabaseSync(join(folder, name));
  try {
    return Number(database.prepare(`select count(*) as n from ${table}`).get()?.['n']);
  } finally {
    database.close();
  }
}

/**
 * Changes the tables of a search index, which SQLite protects. A store in this process may be in a transaction whose next
 * statement comes from this thread: so the lock is tried repeatedly and never waited for.
 */
export async function runUnprotectedSql(file: string, sql: string): Promise<void> {
  const database = new DatabaseSync(file, { timeout: 0 });
  try {
    database.enableDefensive(false);
    while (!hasStarted(database)) await setImmediate();
    database.exec(`${sql}; commit`);
  } finally {
    database.close();
  }
}

/** Begins a transaction, unless another connection has one. */
function hasStarted(database: DatabaseSync): boolean {
  try {
    database.exec('begin immediate');
    return true;
  } catch (error) {
    if (error instanceof Error && error.message.includes('database is locked')) return false;
    throw error;
  }
}

/** Overwrites the pages of one table or index. */
export function corrupt(folder: string, name: string, object: string): void {
  const { start, end } = rootPage(folder, name, object);
  editFile(folder, name, (bytes) => void bytes.fill(0xa5, start, end));
}

/** Changes one text in a small index, whose first entry is at the end of its page. */
export function corruptEntry(folder: string, name: string, index: string): void {
  const { end } = rootPage(folder, name, index);
  editFile(folder, name, (bytes) => void bytes.writeUInt8(bytes.readUInt8(end - 20) ^ 1, end - 20));
}

/** Makes the last page of the first of two large tables a page of the second one as well. */
export function crossLink(folder: string, name: string, tables: readonly [string, string]): void {
  const [there, here] = [rootPage(folder, name, tables[0]), rootPage(folder, name, tables[1])];
  editFile(folder, name, (bytes) => {
    // A table of several pages starts with a page of type 5, which refers to the last one at its ninth byte.
    for (const { start } of [there, here]) if (bytes[start] !== 5) throw new Error('It is small.');
    bytes.writeUInt32BE(bytes.readUInt32BE(there.start + 8), here.start + 8);
  });
}

/** Finds the first page of a table or index in the file. */
function rootPage(folder: string, name: string, object: string) {
  const database = new DatabaseSync(join(folder, name));
  const row = database.prepare('select rootpage from sqlite_schema where name = ?').get(object);
  const size = Number(database.prepare('pragma page_size').get()?.['page_size']);
  database.close();
  const start = (Number(row?.['rootpage']) - 1) * size;
  return { start, end: start + size };
}

/** Leaves a database in the middle of a change, as a kill does: half of the change is in the file, and the journal reverts it. */
export function interruptChange(folder: string, name: string): void {
  const file = join(folder, name);
  const database = new DatabaseSync(file);
  database.exec('pragma journal_mode = delete; pragma cache_size = 2; begin');
  database.exec(`update client set key_hash = 'other ' || id; create table filler (bytes blob)`);
  for (let row = 0; row < 50; row += 1) database.exec('insert into filler values (zeroblob(9000))');
  const left = ['', '-journal'].map((end) => ({ end, bytes: readFileSync(`${file}${end}`) }));
  database.exec('rollback');
  database.close();
  for (const { end, bytes } of left) writeFileSync(`${file}${end}`, bytes);
}

/** Writes the log of another database, with valid checksums. */
export function foreignLog(folder: string, name: string): void {
  const other = join(folder, 'other.db');
  const database = new DatabaseSync(other);
  database.exec(`pragma journal_mode = wal; create table notes (text);`);
  for (let row = 0; row < 50; row += 1) database.exec(`insert into notes values (zeroblob(3000))`);
  const log = readFileSync(`${other}-wal`);
  database.close();
  writeFileSync(join(folder, `${name}-wal`), log);
  for (const end of ['', '-wal', '-shm']) rmSync(`${other}${end}`, { force: true });
  rmSync(join(folder, `${name}-shm`), { force: true });
}

/** Writes a database with tables that do not belong to Gatehouse. */
export function foreignDatabase(folder: string, name: string): void {
  rmSync(join(folder, name));
  runSql(folder, name, 'create table bookmark (url text); insert into bookmark values (1)');
}

/** Puts the journal of another database, in which no key is right, beside a database that has a log. */
export function foreignJournal(folder: string, name: string): void {
  const other = join(folder, 'other.db');
  copyFileSync(join(folder, name), other);
  runSql(folder, 'other.db', `update client set key_hash = 'wrong ' || id`);
  interruptChange(folder, 'other.db');
  renameSync(`${other}-journal`, join(folder, `${name}-journal`));
  for (const end of ['', '-wal', '-shm']) rmSync(`${other}${end}`, { force: true });
}
