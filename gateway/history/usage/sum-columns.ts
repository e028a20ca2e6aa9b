import type { ExchangeRecord, RouteName } from '../../../shared/exchange/exchange.ts';
import type { UsageTotals } from '../../../shared/history/usage.ts';
import { findEnding, isRefusedByLimit, LIMIT_CODES } from '../../../shared/exchange/outcome.ts';

/** `failed` of {@link findEnding} in SQL. */
export const FAILED_TEXT = `(error_code is not null or coalesce(status >= 400, ended_by <> 'client'))`;

/** {@link isRefusedByLimit} in SQL. */
const REFUSED_TEXT = `attempts = 0 and error_code in (${LIMIT_CODES.map((code) => `'${code}'`).join(', ')})`;

/** Routes whose answers have token counts. */
const TOKEN_ROUTES: readonly RouteName[] = ['chat', 'responses', 'messages'];
/** {@link TOKEN_ROUTES} as a list in SQL. */
const TOKEN_ROUTE_LIST = TOKEN_ROUTES.map((route) => `'${route}'`).join(', ');

/** Columns that count exchanges. */
const COUNTS = [
  'exchanges',
  'errors',
  'reported',
  'estimated',
  'unknown',
  'cost_estimated',
  'unpriced',
  'refused',
] as const;
/** Sums, and the columns of `exchange` that they add. */
const SUMS = {
  input: 'usage_input',
  output: 'usage_output',
  cache_read: 'usage_cache_read',
  cache_write: 'usage_cache_write',
  cache_write_hour: 'usage_cache_write_hour',
  reasoning: 'usage_reasoning',
  cost: 'cost',
} as const;
const SUMMED = [
  'input',
  'output',
  'cache_read',
  'cache_write',
  'cache_write_hour',
  'reasoning',
  'cost',
] as const;
const KNOWN = [
  'input_known',
  'output_known',
  'cache_read_known',
  'cache_write_known',
  'cache_write_hour_known',
  'reasoning_known',
  'cost_known',
] as const;

/** The name of a sum. */
export type Sum = (typeof SUMMED)[number];

/** Columns of totals, in the order of {@link addExchange} and {@link SUM_COLUMNS}. */
export const NUMBERS: readonly string[] = [...COUNTS, ...SUMMED, ...KNOWN];

/**
 * Adds an exchange to numbers in the order of {@link NUMBERS}. Tokens are floating point: integers would overflow with absurd numbers
 * from a service.
 */
export function addExchange(to: number[], exchange: ExchangeRecord): void {
  const { usage, cost, times } = exchange;
  const { input, output, cacheRead, cacheWrite, cacheWriteHour, reasoning, source } = usage;
  const amount = cost?.amount ?? null;
  const counts = [
    true,
    findEnding(exchange) === 'failed',
    source === 'reported',
    source === 'estimated',
    lacksTokens(exchange),
    cost?.source === 'estimated',
    cost !== null && amount === null,
    isRefusedByLimit(exchange),
  ];
  const sums = [input, output, cacheRead, cacheWrite, cacheWriteHour, reasoning, amount];
  for (let at = 0; at < counts.length; at += 1) if (counts[at] === true) add(to, at, times);
  for (let at = 0; at < sums.length; at += 1) {
    const sum = sums[at] ?? null;
    if (sum === null) continue;
    add(to, counts.length + at, sum);
    add(to, counts.length + sums.length + at, times);
  }
}

function add(to: number[], at: number, number: number): void {
  to[at] = (to[at] ?? 0) + number;
}

/** Adds numbers to those in `to`, each to the one at its place. */
export function addNumbers(to: number[], numbers: readonly number[]): void {
  for (let at = 0; at < numbers.length; at += 1) add(to, at, numbers[at] ?? 0);
}

/** Returns whether an answer should have token counts and has none: a text of the service, complete or not. */
function lacksTokens(exchange: ExchangeRecord): boolean {
  return exchange.usage.source === 'unknown' && isTextAnswer(exchange);
}

/** Returns whether an exchange is an answer with text of the service, complete or not. */
export function isTextAnswer({ attempts, status, route }: ExchangeRecord): boolean {
  return (
    attempts > 0 && status !== null && status >= 200 && status < 300 && TOKEN_ROUTES.includes(route)
  );
}

/** {@link isTextAnswer} in SQL. */
export const IS_TEXT_ANSWER = `attempts > 0 and status between 200 and 299 and route in (${TOKEN_ROUTE_LIST})`;

/** Aggregates stored rows in the way of {@link addExchange}. */
export const SUM_COLUMNS = `sum(times),
  coalesce(sum(times) filter (where ${FAILED_TEXT}), 0),
  ${['reported', 'estimated'].map((source) => `coalesce(sum(times) filter (where usage_source = '${source}'), 0)`).join(', ')},
  coalesce(sum(times) filter (where usage_source = 'unknown' and ${IS_TEXT_ANSWER}), 0),
  coalesce(sum(times) filter (where cost_source = 'estimated'), 0),
  coalesce(sum(times) filter (where cost_source is not null and cost is null), 0),
  coalesce(sum(times) filter (where ${REFUSED_TEXT}), 0),
  ${SUMMED.map((name) => `total(${SUMS[name]})`).join(', ')},
  ${SUMMED.map((name) => `coalesce(sum(times) filter (where ${SUMS[name]} is not null), 0)`).join(', ')}`;

/** Totals without speeds. */
export type TotalSums = Omit<UsageTotals, 'firstByte' | 'rate'>;

/** Converts sums under the names of their columns; `null` where no exchange had that number. */
export function toSums(row: Readonly<Record<string, unknown>>): TotalSums {
  const count = (name: string): number => Number(row[name] ?? 0);
  const known = (name: Sum) => (count(`${name}_known`) > 0 ? count(name) : null);
  return {
    exchanges: count('exchanges'),
    errors: count('errors'),
    input: known('input'),
    output: known('output'),
    cacheRead: known('cache_read'),
    cacheWrite: known('cache_write'),
    cacheWriteHour: known('cache_write_hour'),
    reasoning: known('reasoning'),
    reported: count('reported'),
    estimated: count('estimated'),
    unknown: count('unknown'),
    cost: known('cost'),
    costEstimated: count('cost_estimated'),
    unpriced: count('unpriced'),
    refused: count('refused'),
  };
}

/** Adds the values of an `insert` to those of the row that there is. */
export const ADD_CLAUSE = NUMBERS.map((name) => `${name} = ${name} + excluded.${name}`).join(', ');

/** Subtracts them. A total without contributing exchanges is exactly 0, whatever rounding left of it. */
export const SUBTRACT_CLAUSE = [
  ...[...COUNTS, ...KNOWN].map((name) => `${name} = ${name} - excluded.${name}`),
  ...SUMMED.map(
    (name) =>
      `${name} = case when ${name}_known = excluded.${name}_known then 0 else ${name} - excluded.${name} end`,
  ),
].join(', ');
