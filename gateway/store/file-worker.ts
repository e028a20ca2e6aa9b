import { backup, DatabaseSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { pathToFileURL } from 'node:url';
import type { CopyParts, FileJob, FileJobReply, Finding } from './file-jobs.ts';
import { isHistoryTable } from './history-tables.ts';
import { toFailure } from './worker-protocol.ts';

const BUSY_MS = 5_000;
/** More findings of a kind add no information. */
const MAX_FINDINGS = 20;

/** Copies all pages of a backup in one step. */
const ALL_PAGES = 2 ** 31 - 1;

type Counts = Readonly<Record<string, number>>;

function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Lists tables with their own pages: first those that Gatehouse needs, which are small, then those of the history. */
function listTables(
  database: DatabaseSync,
): Readonly<Record<'needed' | 'history', readonly string[]>> {
  const rows = database
    .prepare(`select name from sqlite_schema where type = 'table' and rootpage > 0`)
    .all();
  const names = rows.map(({ name }) => String(name));
  return {
    needed: names.filter((name) => !isHistoryTable(name)),
    history: names.filter(isHistoryTable),
  };
}

/** Checks the whole file once; only when something is wrong, checks each table to locate it. */
function check(job: CheckJob, report: (finding: Finding) => void): void {
  const { file, thorough, withoutLog = false } = job;
  const database = new DatabaseSync(toFileUrl(file, withoutLog), {
    readOnly: true,
    timeout: BUSY_MS,
  });
  try {
    const pragma = thorough ? 'integrity_check' : 'quick_check';
    const { needed, history } = listTables(database);
    let found = 0;
    const countAndReport = (finding: Finding) => {
      found += 1;
      report(finding);
    };
    // These are small, so their indices are compared with them at each start as well.
    for (const table of needed) {
      checkTable({ database, pragma: 'integrity_check', table, report: countAndReport });
    }
    const findings = readRows(database, `pragma ${pragma}`);
    if (findings.length === 0 && found === 0)
      return checkReferences({ database, thorough, report });
    for (const table of history) checkTable({ database, pragma, table, report: countAndReport });
    // Free pages belong to no table.
    if (found === 0) for (const text of findings) report({ table: null, text });
  } finally {
    database.close();
  }
}

type CheckJob = Extract<FileJob, { kind: 'check' }>;

/** Builds a URI for SQLite: a file declared immutable is read without its log (https://www.sqlite.org/uri.html). */
function toFileUrl(file: string, withoutLog: boolean): string | URL {
  if (!withoutLog) return file;
  const url = pathToFileURL(file);
  url.searchParams.set('immutable', '1');
  return url;
}

/** Returns the findings of a check, without "ok" and without pages that are merely unused. */
function readRows(database: DatabaseSync, pragma: string): readonly string[] {
  try {
    const rows = database.prepare(pragma).all();
    // One row may contain many lines under a headline.
    const texts = rows.flatMap((row) =>
      Object.values(row).flatMap((text) => String(text).split('\n')),
    );
    return texts
      .filter((text) => text !== 'ok' && !/never used|^\*\*\* in database/u.test(text))
      .slice(0, MAX_FINDINGS);
  } catch (error) {
    return [toFailure(error).message];
  }
}

interface TableCheck {
  readonly database: DatabaseSync;
  readonly pragma: string;
  readonly table: string;
  readonly report: (finding: Finding) => void;
}

function checkTable({ database, pragma, table, report }: TableCheck): void {
  for (const text of readRows(database, `pragma ${pragma}(${quoteIdentifier(table)})`))
    report({ table, text });
}

/** Finds rows that refer to a missing row. */
function checkReferences({
  database,
  thorough,
  report,
}: Pick<TableCheck, 'database' | 'report'> & Pick<CheckJob, 'thorough'>): void {
  if (!thorough) return;
  const rows = database.prepare('pragma foreign_key_check').all();
  for (const { table, rowid, parent } of rows.slice(0, MAX_FINDINGS)) {
    const text = `row ${String(rowid)} of ${String(table)} refers to a row of ${String(parent)} that does not exist`;
    report({ table: String(table), text });
  }
}

/** Reads everything in one transaction, so that all rows are from one moment; writers do not wait for it. */
function copyParts(job: Extract<FileJob, { kind: 'copy' }>, parts: CopyParts): void {
  const database = new DatabaseSync(job.to);
  try {
    database.exec(`pragma application_id = ${job.applicationId}`);
    database.exec(`attach ${toLiteral(`file:${encodeURI(job.file)}?mode=ro`)} as source`);
    database.exec('begin');
    for (const statement of parts.statements) database.exec(statement);
    for (const table of parts.tables) copyTable(database, table);
    for (const statement of parts.afterwards) database.exec(statement);
    database.exec('commit');
  } finally {
    database.close();
  }
}

function copyTable(database: DatabaseSync, table: string): void {
  const columns = (schema: string) =>
    database
      .prepare('select name from pragma_table_info(?, ?)')
      .all(table, schema)
      .map(({ name }) => String(name));
  const sourceColumns = new Set(columns('source'));
  const both = columns('main')
    .filter((name) => sourceColumns.has(name))
    .map(quoteIdentifier)
    .join(', ');
  if (both === '') return;
  database.exec(
    `insert into main.${quoteIdentifier(table)} (${both}) select ${both} from source.${quoteIdentifier(table)}`,
  );
}

function toLiteral(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

async function copyAll({ file, to }: Extract<FileJob, { kind: 'copy' }>): Promise<void> {
  const source = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    // In one step, because the backup would start again after a write of another connection between two steps.
    await backup(source, to, { rate: ALL_PAGES });
  } finally {
    source.close();
  }
  const copied = new DatabaseSync(to);
  try {
    // Makes the copy a single file, without a log beside it.
    copied.exec('pragma journal_mode = delete');
  } finally {
    copied.close();
  }
}

function reindex(file: string): void {
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    database.exec('reindex');
  } finally {
    database.close();
  }
}

/**
 * Removes its entries from the schema without freeing its pages one by one: damaged ones may lead to those of other tables.
 * Vacuuming the file then drops the unused pages.
 */
function dropSearchIndex(file: string): void {
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    database.enableDefensive(false);
    database.exec(`pragma writable_schema = on;
      delete from sqlite_schema where tbl_name in ('exchange_text', 'exchange_word', 'exchange_index')
        or tbl_name glob 'exchange_text_*'`);
  } finally {
    database.close();
  }
  writeAnew(file);
}

function writeAnew(file: string): void {
  const database = new DatabaseSync(file, { timeout: BUSY_MS });
  try {
    database.exec('vacuum');
  } catch {
    // Without space for it, or with damage elsewhere, the file stays as it is and only takes more space.
  } finally {
    database.close();
  }
}

function count(file: string, tables: readonly string[]): Counts {
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_MS });
  try {
    const { needed, history } = listTables(database);
    const existing = new Set([...needed, ...history]);
    const counted = tables.map((table) => {
      const row = existing.has(table)
        ? database.prepare(`select count(*) as n from ${quoteIdentifier(table)}`).get()
        : undefined;
      return [table, Number(row?.['n'] ?? 0)] as const;
    });
    return Object.fromEntries(counted);
  } finally {
    database.close();
  }
}

async function run(job: FileJob, port: MessagePort): Promise<Counts> {
  switch (job.kind) {
    case 'check':
      check(job, (finding) => postReply(port, { kind: 'finding', finding }));
      return {};
    case 'copy':
      if (job.parts === null) await copyAll(job);
      else copyParts(job, job.parts);
      return {};
    case 'drop-search-index':
      dropSearchIndex(job.file);
      return {};
    case 'reindex':
      reindex(job.file);
      return {};
    case 'count':
      return count(job.file, job.tables);
  }
}

function postReply(port: MessagePort, reply: FileJobReply): void {
  port.postMessage(reply);
}

async function start(port: MessagePort, job: FileJob): Promise<void> {
  try {
    postReply(port, { kind: 'done', counts: await run(job, port) });
  } catch (error) {
    postReply(port, { kind: 'failed', failure: toFailure(error) });
  }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: what file-jobs.ts hands over
if (parentPort !== null) void start(parentPort, workerData as FileJob);
