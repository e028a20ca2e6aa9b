import { formatDecimal, parseAmount } from '../money/decimal.ts';
import { parseSpan, parseTime, startOfDay } from '../parse-time.ts';
import type { NumberField } from './terms.ts';

const COUNT_UNITS: readonly (readonly [string, number])[] = [
  ['m', 1_000_000],
  ['k', 1_000],
];
const TIME_UNITS: readonly (readonly [string, number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];
const QUANTITY = /^(\d{1,16}(?:\.\d{1,3})?)([a-z]{0,2})$/u;

/** What is smaller than a millionth is no amount, and sums of what is larger would not be exact. */
const AMOUNT = /^\d{1,9}(?:\.\d{1,6})?$/u;

/**
 * Parses a number of tokens (`500`, `10k`, `1.5m`), an amount of the currency (`0.05`) or a duration (`800ms`, `2s`, `1.5m`, `1h`);
 * `null` for anything else.
 */
export function parseQuantity(field: NumberField, text: string): number | null {
  if (field === 'cost') return AMOUNT.test(text) ? parseAmount(text) : null;
  const [, digits, unit = ''] = QUANTITY.exec(text.toLowerCase()) ?? [];
  if (digits === undefined) return null;
  const size = unit === '' && field !== 'duration' ? 1 : findSize(field, unit);
  const value = size === undefined ? Number.NaN : Math.round(Number(digits) * size);
  return Number.isSafeInteger(value) ? value : null;
}

/** Formats a quantity with the largest unit that needs no fraction, and an amount without needless zeros. */
export function formatQuantity(field: NumberField, value: number): string {
  if (field === 'cost') return formatDecimal(value);
  const [unit, size] = unitsOf(field).find(([, one]) => value > 0 && value % one === 0) ?? [
    field === 'duration' ? 'ms' : '',
    1,
  ];
  return `${value / size}${unit}`;
}

function findSize(field: NumberField, unit: string): number | undefined {
  return unitsOf(field).find(([name]) => name === unit)?.[1];
}

function unitsOf(field: NumberField) {
  return field === 'duration' ? TIME_UNITS : COUNT_UNITS;
}

const DAY_WORDS: Readonly<Record<string, number>> = { today: 0, yesterday: -1 };

/** The instants that a time stands for: it begins at `from` and ends before `to`. Unix milliseconds. */
interface Moment {
  readonly from: number;
  readonly to: number;
}

/** Parses an age (`30m`, `2h`, `3d`, `1w`), `today`, `yesterday`, a date or a time; `null` for anything else. */
export function parseMoment(text: string, now: number): Moment | null {
  const age = parseSpan(text);
  if (age !== null) return { from: now - age, to: now - age };
  const days = DAY_WORDS[text.toLowerCase()];
  if (days !== undefined) return { from: startOfDay(now, days), to: startOfDay(now, days + 1) };
  const time = parseTime(text);
  if (time === null) return null;
  return { from: time.at, to: time.day ? startOfDay(time.at, 1) : time.at };
}

/** Formats an instant as a local time without needless zeros, or in UTC where the local one is ambiguous. */
export function formatMoment(at: number): string {
  const date = new Date(at);
  const local = new Date(at - date.getTimezoneOffset() * 60_000).toISOString();
  const text = local.slice(0, -1).replace(/(?::00)?\.000$/u, '');
  return parseTime(text)?.at === at ? text : date.toISOString();
}
