import { type CsvError, parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { parseTime } from '../../../shared/parse-time.ts';
import { formatDecimal } from '../../../shared/money/decimal.ts';
import { type NewPrice, NO_PRICES, type Prices } from '../../../shared/money/price.ts';
import { UserError } from '../../errors.ts';
import {
  PER_MILLION,
  type PriceList,
  readAmount,
  type ReadOptions,
  showValue,
} from './price-list.ts';

/** The columns of amounts, in units of the currency: per million tokens, per request and per image. */
const AMOUNTS = {
  input: 'input',
  output: 'output',
  cache_read: 'cacheRead',
  cache_write: 'cacheWrite',
  cache_write_hour: 'cacheWriteHour',
  reasoning: 'reasoning',
  request: 'request',
  image: 'image',
} as const satisfies Record<string, keyof Prices>;
const COLUMNS = [
  'model',
  'service',
  'valid_from',
  'above_input_tokens',
  ...Object.keys(AMOUNTS),
  'video_second',
  'origin',
];
const MAX_ABOVE = 1e9;

/** Writes prices as CSV. A tier is a row of its own with its threshold. {@link readOwnCsv} reads the same prices. */
export function writeOwnCsv(prices: readonly NewPrice[]): string {
  const rows = prices.flatMap((price) => [
    toRow(price, null, price.prices),
    ...price.tiers.map((tier) => toRow(price, tier.aboveInput, tier.prices)),
  ]);
  return stringify([COLUMNS, ...rows]);
}

function toRow(price: NewPrice, above: number | null, prices: Prices): readonly string[] {
  return [
    protect(price.model),
    protect(price.service ?? ''),
    price.validFrom === 0 ? '' : new Date(price.validFrom).toISOString(),
    above === null ? '' : String(above),
    ...Object.values(AMOUNTS).map((name) => {
      const amount = prices[name];
      return amount === null ? '' : formatDecimal(amount);
    }),
    protect(formatSeconds(prices.videoSecond)),
    protect(price.origin),
  ];
}

/** Prevents that a spreadsheet takes a text for a formula (https://owasp.org/www-community/attacks/CSV_Injection). */
function protect(text: string): string {
  return /^'*[=+\-@\t\r]/u.test(text) ? `'${text}` : text;
}

function unprotect(text: string): string {
  return /^'+[=+\-@\t\r]/u.test(text) ? text.slice(1) : text;
}

function formatSeconds(prices: Prices['videoSecond']): string {
  return Object.entries(prices)
    .map(([resolution, amount]) => `${encodeURIComponent(resolution)}=${formatDecimal(amount)}`)
    .join(' ');
}

/** Reads CSV with the columns of {@link writeOwnCsv}, in any order; others are ignored. @throws UserError */
export function readOwnCsv(text: string, options: ReadOptions): PriceList {
  const prices: NewPrice[] = [];
  const byKey = new Map<string, number>();
  for (const [row, place] of readRows(text)) {
    const model = unprotect(row['model'] ?? '').trim();
    if (model === '') throw new UserError(`${place}: a model is missing.`);
    const service = unprotect(row['service'] ?? '') || options.service;
    const validFrom = readTime(row['valid_from'] ?? '', place) ?? options.validFrom;
    const above = readAbove(row['above_input_tokens'] ?? '', place);
    const card = readCard(row, place);
    const key = JSON.stringify([service, model, validFrom]);
    const index = byKey.get(key);
    if (above === null) {
      if (index !== undefined) throw new UserError(`${place}: this model was there before.`);
      byKey.set(key, prices.length);
      const origin = unprotect(row['origin'] ?? '') || `CSV, ${options.date}`;
      prices.push({ service, model, validFrom, prices: card, tiers: [], origin });
      continue;
    }
    const price = index === undefined ? undefined : prices[index];
    if (index === undefined || price === undefined) {
      throw new UserError(`${place}: a row of this model without a threshold must precede.`);
    }
    prices[index] = { ...price, tiers: [...price.tiers, { aboveInput: above, prices: card }] };
  }
  return { format: 'csv', currency: null, prices, skipped: 0 };
}

type Row = Readonly<Partial<Record<string, string>>>;

/** Returns the rows, each with its place for people. */
function readRows(text: string): (readonly [Row, string])[] {
  const lines: { readonly record: readonly string[]; readonly line: number }[] = [];
  try {
    parse(text, {
      bom: true,
      skip_empty_lines: true,
      relax_column_count: true,
      on_record: (record: readonly string[], context) => {
        lines.push({ record, line: context.lines });
        return null;
      },
    });
  } catch (error) {
    throw toUserError(error);
  }
  const [head, ...rows] = lines;
  const names = (head?.record ?? []).map((name) => name.trim().toLowerCase());
  if (!names.includes('model')) {
    throw new UserError('Line 1: the column “model” is missing.');
  }
  return rows.map(({ record, line }) => [
    Object.fromEntries(names.map((name, index) => [name, record[index] ?? ''])),
    `Line ${line}`,
  ]);
}

function toUserError(error: unknown): UserError {
  const { lines, message = String(error) }: Partial<CsvError> & { readonly lines?: number } =
    Object(error);
  return new UserError(lines === undefined ? message : `Line ${lines}: ${message}`, null, {
    cause: error,
  });
}

function readTime(text: string, place: string): number | null {
  const trimmed = text.trim();
  if (trimmed === '') return null;
  const time = parseTime(trimmed);
  if (time === null || time.at < 0) {
    throw new UserError(`${place}, valid_from: ${showValue(text)} is no date such as 2026-11-21.`);
  }
  return time.at;
}

function readAbove(text: string, place: string): number | null {
  if (text.trim() === '') return null;
  const above = Number(text);
  if (!Number.isInteger(above) || above < 1 || above > MAX_ABOVE) {
    throw new UserError(
      `${place}, above_input_tokens: ${showValue(text)} is no number of tokens above 0.`,
    );
  }
  return above;
}

function readCard(row: Row, place: string): Prices {
  const amounts = Object.entries(AMOUNTS).map(([column, name]): [string, number | null] => {
    const text = (row[column] ?? '').trim();
    if (text.startsWith('-'))
      throw new UserError(`${place}, ${column}: a price is not below zero.`);
    return [name, readAmount(text, PER_MILLION, `${place}, ${column}`)];
  });
  const videoSecond = readSeconds(unprotect(row['video_second'] ?? ''), place);
  return { ...NO_PRICES, ...Object.fromEntries(amounts), videoSecond };
}

function readSeconds(text: string, place: string): Prices['videoSecond'] {
  const parts = text.split(/[\s;]+/u).filter((part) => part !== '');
  return Object.fromEntries(
    parts.map((part) => {
      const where = `${place}, video_second`;
      const at = part.lastIndexOf('=');
      const amount = readAmount(part.slice(at + 1), PER_MILLION, where);
      if (at < 1 || amount === null) {
        throw new UserError(`${where}: ${showValue(part)} is not like 480p=0.05.`);
      }
      return [decode(part.slice(0, at)), amount];
    }),
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
