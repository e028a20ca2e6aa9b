import { backup, DatabaseSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import type { CopyParts, FileJob, FileJobReply } from './file-jobs.ts';
import { checkFile, listTables, quoteIdentifier } from './check-file.ts';
import { toFailure } from './worker-protocol.ts';

const BUSY_MS = 5_000;

/** Copies all pages of a backup in one step. */
const ALL_PAGES = 2 ** 31 - 1;

type Counts = Readonly<Record<string, number>>;

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
      checkFile(job, (finding) => postReply(port, { kind: 'finding', finding }));
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
