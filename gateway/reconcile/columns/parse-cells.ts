import { parseDecimal } from '../../../shared/money/decimal.ts';
import type { TimeZoneChoice } from '../../../shared/reconcile/usage-columns.ts';

const TIME =
  /^(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?(Z|UTC|[+-]\d{2}:?\d{2})?)?$/iu;
const UNIX_TIME = /^\d{10,16}(?:\.\d{1,9})?$/u;
const WHOLE = /^\+?(\d{1,15})(?:\.0{1,9})?$/u;
const AMOUNT = /^(-?)\s?[$€£¥]?\s?(.+)$/u;
const MAX_COUNT = 1e12;
const MAX_COST = 1e15;
const [FROM, TO] = [Date.UTC(2000, 0), Date.UTC(2100, 0)];
/** The numbers from which Unix times are in milliseconds and in microseconds. */
const [MILLIS, MICROS] = [1e11, 1e14];

/** A time of an export. `day`: it names a whole day, of which `at` is the beginning. Unix milliseconds. */
export interface ExportTime {
  readonly at: number;
  readonly day: boolean;
}

/**
 * Parses a time of the years 2000 to 2099: a date, a date and time, or a Unix time. `zone` is that of times that name none. `null` for
 * anything else.
 */
export function parseExportTime(text: string, zone: TimeZoneChoice): ExportTime | null {
  const trimmed = text.trim();
  const at = UNIX_TIME.test(trimmed) ? fromUnixTime(Number(trimmed)) : parseDate(trimmed, zone);
  if (at === null || at < FROM || at >= TO) return null;
  return { at, day: trimmed.length === '2026-11-21'.length && !UNIX_TIME.test(trimmed) };
}

function fromUnixTime(value: number): number {
  if (value >= MICROS) return Math.floor(value / 1_000);
  return Math.floor(value >= MILLIS ? value : value * 1_000);
}

function parseDate(text: string, zone: TimeZoneChoice): number | null {
  const found = TIME.exec(text);
  if (found === null) return null;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const exists =
    new Date(Date.UTC(year, month - 1, day)).getUTCDate() === day && month >= 1 && month <= 12;
  if (!exists || hour > 23 || minute > 59 || second > 60) return null;
  const ms = Math.floor(Number(`0.${found[7] ?? '0'}`) * 1_000);
  const offset = found[8];
  if (offset === undefined && zone === 'local') {
    return new Date(year, month - 1, day, hour, minute, second, ms).getTime();
  }
  return Date.UTC(year, month - 1, day, hour, minute, second, ms) - toOffset(offset);
}

function toOffset(text: string | undefined): number {
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/u.exec(text ?? '') ?? [];
  if (sign === undefined) return 0;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

/** Parses a number of requests or tokens; an empty text is 0. `null` for anything else. */
export function parseCount(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return 0;
  const count = Number(WHOLE.exec(trimmed)?.[1] ?? Number.NaN);
  return count <= MAX_COUNT ? count : null;
}

/** Parses an amount of the currency in millionths; a credit is below zero, and an empty text is 0. `null` for anything else. */
export function parseCost(text: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return 0;
  const [, sign, digits = ''] = AMOUNT.exec(trimmed) ?? [];
  const amount = parseDecimal(digits, 6);
  if (amount === null || amount > MAX_COST) return null;
  // A zero has no sign.
  return sign === '-' && amount > 0 ? -amount : amount;
}
