import { pipeline, Readable } from 'node:stream';
import { type CsvError, parse } from 'csv-parse';
import { UserError } from '../../errors.ts';
import type { RawRow } from './raw-row.ts';
import { MAX_ROW } from './text.ts';

const DELIMITERS = [',', ';', '\t'] as const;

/**
 * Yields the rows of CSV. The first row has the names of the columns; a name that is there again gets a number, an empty one is called
 * by its place. @throws UserError with the line of a text that is no CSV
 */
export async function* readCsvRows(
  head: string,
  pieces: AsyncIterable<string>,
): AsyncGenerator<RawRow, void, void> {
  const parser = parse({
    delimiter: findDelimiter(head),
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_ROW,
    info: true,
  });
  let names: readonly string[] | null = null;
  try {
    // The parser reports the failure of either.
    pipeline(Readable.from(pieces), parser, () => undefined);
    for await (const parsed of parser) {
      const { record, info }: ParsedRow = parsed;
      if (names === null) names = nameColumns(record);
      else yield toRow(names, record, info.lines);
    }
  } catch (error) {
    throw toUserError(error);
  }
}

interface ParsedRow {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

function toRow(names: readonly string[], record: readonly string[], place: number): RawRow {
  const cells = new Map<string, string>();
  names.forEach((name, index) => cells.set(name, unprotect(record[index] ?? '')));
  const fault =
    record.length === names.length
      ? null
      : `it has ${record.length} cells, and the first line has ${names.length}`;
  return { place, cells, fault };
}

/** Removes the sign that keeps a spreadsheet from taking a text for a formula. */
function unprotect(text: string): string {
  return /^'+[=+\-@\t\r]/u.test(text) ? text.slice(1) : text;
}

function nameColumns(record: readonly string[]): readonly string[] {
  const names = new Set<string>();
  record.forEach((cell, index) => {
    const name = cell.trim() || `column ${index + 1}`;
    let unique = name;
    for (let count = 2; names.has(unique); count += 1) unique = `${name} (${count})`;
    names.add(unique);
  });
  return [...names];
}

function findDelimiter(head: string): string {
  const line = /^[^\r\n]*/u.exec(head)?.[0] ?? '';
  const plain = line.replaceAll(/"[^"]*"/gu, '');
  const counts = DELIMITERS.map((sign) => plain.split(sign).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ',';
}

function toUserError(error: unknown): unknown {
  const { code, lines }: Partial<CsvError> & { readonly lines?: number } = Object(error);
  if (typeof code !== 'string' || !code.startsWith('CSV_')) return error;
  const reason =
    code === 'CSV_MAX_RECORD_SIZE'
      ? 'this row is too long, or a quotation mark is not closed'
      : 'a quotation mark is where none may be, or is not closed';
  return new UserError(`Line ${lines ?? 1}: ${reason}.`, null, { cause: error });
}
