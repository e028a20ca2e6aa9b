import { DatabaseSync } from 'node:sqlite';
import type { BookEntry } from '../../../../sandbox/server.ts';
import type { ProofRecords } from '../proof-records.ts';
import { planExchange } from '../plan.ts';
import { checkReported, checkTotals } from './reported.ts';
import { type EstimateErrors, measureEstimates } from './estimates.ts';
import type { LimitFinding } from './limits.ts';
import { checkReports, checkRollups } from './rollups.ts';
import { findNumber, readRows, type UsageRow } from './rows.ts';

export interface ProofResult {
  readonly counts: Readonly<Record<string, number>>;
  readonly estimates: readonly EstimateErrors[];
  readonly limits: readonly LimitFinding[];
  readonly errors: readonly string[];
}

/** Compares the rows of the history with the books of the sandbox, and everything that is summed with the rows. */
export function checkProof(file: string, records: ProofRecords): ProofResult {
  const { seed, seen, limits, reports, openAtEnd, kills } = records;
  const db = new DatabaseSync(file, { readOnly: true });
  const errors: string[] = [];
  const books = readBooks(records.books, errors);
  const all = readRows(db);
  const rows = sortRows(all, errors);
  for (const [number, entry] of books)
    if (!rows.has(number)) errors.push(`${number}: charged (${entry.model}), but without a row.`);
  const pairs = [...rows].flatMap(([number, row]) => {
    const entry = books.get(number);
    return entry === undefined ? [] : [[row, entry] as const];
  });
  errors.push(
    ...pairs.flatMap(([row, entry]) => {
      const number = row.number ?? -1;
      return checkReported(row, entry, {
        seen: seen.get(number),
        planned: planExchange(seed, number),
      });
    }),
    ...all.filter((row) => !isAccountedFor(row, books)).map(describeUncharged),
    ...checkTotals(pairs, seed, db),
    ...checkRollups(db),
    ...checkReports(db, reports),
    ...checkExcess(limits),
  );
  if ((openAtEnd ?? 0) > 0) errors.push(`${openAtEnd} bytes are left in open-exchanges.`);
  db.close();
  const counted = (holds: (row: UsageRow) => boolean) => all.filter(holds).length;
  return {
    counts: {
      exchanges: records.planned,
      kills,
      'charged by the sandbox': books.size,
      'rows in the history': all.length,
      'with reported usage': counted(({ source }) => source === 'reported'),
      'with estimated usage': counted(({ source }) => source === 'estimated'),
      'recovered after a kill': counted(({ errorCode }) => errorCode === 'gateway_stopped'),
      'refused by a limit': counted(({ errorCode }) => errorCode === 'local_limit_reached'),
      'with images': counted((row) => (row.images ?? 0) > 0),
      videos: pairs.filter(([row]) => row.route === 'video-submit').length,
      'left by their client': counted(({ endedBy }) => endedBy === 'client'),
      'counted, but not charged': counted(
        ({ costSource, number }) => costSource !== null && !books.has(number ?? -1),
      ),
    },
    estimates: measureEstimates(pairs),
    limits,
    errors,
  };
}

function readBooks(entries: readonly BookEntry[], errors: string[]): Map<number, BookEntry> {
  const books = new Map<number, BookEntry>();
  for (const entry of entries) {
    const number = findNumber(entry.url);
    if (number === null) errors.push(`The sandbox charged ${entry.url}, which nobody sent.`);
    else if (books.has(number)) errors.push(`${number}: charged twice.`);
    else books.set(number, entry);
  }
  return books;
}

/**
 * Error codes of requests that the service may have taken, although it charged nothing here: refused right before a kill, answered by
 * something that is no answer, or lost on the way.
 */
const MAY_BE_CHARGED: ReadonlySet<string | null> = new Set([
  'gateway_stopped',
  'upstream_connection_lost',
  'upstream_invalid_answer',
]);

/** Whether a row that costs something was charged, or could have been as far as Gatehouse saw it. */
function isAccountedFor(row: UsageRow, books: ReadonlyMap<number, BookEntry>): boolean {
  const { costSource, number, errorCode, endedBy, route, status } = row;
  if (costSource === null || books.has(number ?? -1)) return true;
  if (route === 'video-submit' && (status ?? 0) >= 500) return true;
  return MAY_BE_CHARGED.has(errorCode) || (endedBy === 'client' && (status ?? 0) < 400);
}

function describeUncharged(row: UsageRow): string {
  return `${row.number ?? ''}: it costs something, but was not charged. ${JSON.stringify(row)}`;
}

function sortRows(all: readonly UsageRow[], errors: string[]): Map<number, UsageRow> {
  const rows = new Map<number, UsageRow>();
  for (const row of all) {
    if (row.number === null) continue;
    if (rows.has(row.number)) errors.push(`${row.number}: two rows.`);
    rows.set(row.number, row);
  }
  return rows;
}

/** A limit may be exceeded only by what the estimates of the requests in flight at its last admission were short by. */
function checkExcess(limits: readonly LimitFinding[]): readonly string[] {
  return limits
    .filter(({ excess, shortfall }) => excess > shortfall)
    .map(
      ({ name, measure, amount, excess, shortfall }) =>
        `The limit of ${amount} ${measure} of "${name}" was exceeded by ${excess}, and the estimates were short by ${shortfall}.`,
    );
}
