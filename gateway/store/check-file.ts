import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { isHistoryTable } from './history-tables.ts';
import { toFailure } from './worker-protocol.ts';

const BUSY_MS = 5_000;
/** More findings of a kind add no information. */
const MAX_FINDINGS = 20;

/** A check of a file for damage. */
export interface FileCheck {
  readonly file: string;
  /** Whether to compare indices with their tables, and to follow references. */
  readonly thorough: boolean;
  /** Checks the file alone, as if it had no log. */
  readonly withoutLog?: boolean;
}

/** One finding, and its table; `null` when no table can be named. */
export interface Finding {
  readonly table: string | null;
  readonly text: string;
}

/**
 * Checks the whole file once; only when something is wrong, checks each table to locate it. Blocks its thread.
 * @throws SQLite's error
 */
export function checkFile(check: FileCheck, report: (finding: Finding) => void): void {
  const { file, thorough, withoutLog = false } = check;
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
}: Pick<TableCheck, 'database' | 'report'> & Pick<FileCheck, 'thorough'>): void {
  if (!thorough) return;
  const rows = database.prepare('pragma foreign_key_check').all();
  for (const { table, rowid, parent } of rows.slice(0, MAX_FINDINGS)) {
    const text = `row ${String(rowid)} of ${String(table)} refers to a row of ${String(parent)} that does not exist`;
    report({ table: String(table), text });
  }
}

/** Quotes the name of a table or column for a statement. */
export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** Lists tables with their own pages: first those that Gatehouse needs, which are small, then those of the history. */
export function listTables(
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
