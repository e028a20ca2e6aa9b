import { readCsvRows } from './csv-rows.ts';
import { readJsonRows } from './json-rows.ts';
import type { RawRow } from './raw-row.ts';
import { MAX_ROW, readText } from './text.ts';

/** A file with the usage export of a service. */
export interface ExportFile {
  readonly format: 'csv' | 'json';
  /** The rows in the order of the file, read as they are asked for. */
  readonly rows: AsyncGenerator<RawRow, void, void>;
}

/** Opens an export in CSV, JSON or JSON lines, and finds out which of them it is. @throws UserError, as reading its rows does */
export async function openExport(file: string): Promise<ExportFile> {
  const pieces = readText(file);
  let head = '';
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    head += next.value;
    if (head.length >= MAX_ROW) break;
  }
  const all = joinPieces(head, pieces);
  return /^\s*[[{]/u.test(head)
    ? { format: 'json', rows: readJsonRows(head, all) }
    : { format: 'csv', rows: readCsvRows(head, all) };
}

async function* joinPieces(head: string, rest: AsyncGenerator<string, void, void>) {
  yield head;
  yield* rest;
}
