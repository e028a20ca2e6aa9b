import { type RawBuilder, sql } from 'kysely';
import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import type { Speed } from '../../../shared/history/usage.ts';
import { IS_TEXT_ANSWER, isTextAnswer } from './sum-columns.ts';

/** Each bucket of a histogram ends at 1.3 times the value at which it begins, so a percentile is off by at most 15 %. */
const FACTOR = 1.3;

/** A measure whose values are counted in buckets, each a column of `exchange_usage`. */
interface Buckets {
  /** The first letter of its columns. */
  readonly letter: 'f' | 'r';
  /** The values at which buckets end; the last bucket has no end. */
  readonly ends: readonly number[];
  /** Returns the value of an answer; `null` when it has none. */
  readonly valueOf: (exchange: ExchangeRecord) => number | null;
  /** `valueOf` in SQL. */
  readonly sql: string;
}

/** Returns whether the times of an exchange are those of the service: a person may have let its request wait. */
function isTimed(exchange: ExchangeRecord): boolean {
  return isTextAnswer(exchange) && exchange.repairs.every(({ code }) => code !== 'held');
}

/** {@link isTimed} in SQL. */
const IS_TIMED = `${IS_TEXT_ANSWER} and instr(repairs, '"code":"held"') = 0`;

function listEnds(first: number, count: number): readonly number[] {
  // Two digits after the point, so that SQLite compares with the same numbers.
  return Array.from(
    { length: count },
    (_, place) => Math.round(first * FACTOR ** place * 100) / 100,
  );
}

/** Milliseconds from the request to the first byte of the answer. */
export const FIRST_BYTE: Buckets = {
  letter: 'f',
  ends: listEnds(10, 39),
  valueOf: (exchange) => (isTimed(exchange) ? exchange.firstByteMs : null),
  sql: `case when ${IS_TIMED} then first_byte_ms end`,
};

/** Output tokens for each second of the answer: of a stream, from its first byte on. */
export const RATE: Buckets = {
  letter: 'r',
  ends: listEnds(1, 31),
  valueOf: (exchange) => {
    const { usage, streamed, firstByteMs, durationMs } = exchange;
    const ms = durationMs - (streamed ? (firstByteMs ?? 0) : 0);
    if (!isTimed(exchange) || !usage.output || ms <= 0) return null;
    return (usage.output * 1_000) / ms;
  },
  sql: `case when ${IS_TIMED} and usage_output > 0
    and duration_ms - streamed * coalesce(first_byte_ms, 0) > 0
    then usage_output * 1000.0 / (duration_ms - streamed * coalesce(first_byte_ms, 0)) end`,
};

/** The columns of a measure. */
export function bucketColumns({ letter, ends }: Buckets): readonly string[] {
  return Array.from({ length: ends.length + 1 }, (_, place) => `${letter}${place}`);
}

/** The columns of both measures. */
export const SPEED_COLUMNS: readonly string[] = [FIRST_BYTE, RATE].flatMap(bucketColumns);

/** Counts an exchange in its buckets. `counts`: those of {@link SPEED_COLUMNS}. */
export function countSpeeds(counts: number[], exchange: ExchangeRecord): void {
  let begin = 0;
  for (const measure of [FIRST_BYTE, RATE]) {
    const value = measure.valueOf(exchange);
    if (value !== null) {
      const place = begin + findBucket(measure, value);
      counts[place] = (counts[place] ?? 0) + exchange.times;
    }
    begin += measure.ends.length + 1;
  }
}

function findBucket({ ends }: Buckets, value: number): number {
  let place = 0;
  while (place < ends.length && !(value < (ends[place] ?? 0))) place += 1;
  return place;
}

/** Columns of a row of `exchange` that {@link withBuckets} and `SUM_COLUMNS` need, with the values of both measures, as SQL. */
export const MEASURED_COLUMNS = `times, status, error_code, ended_by, attempts, route, usage_source, usage_input, usage_output, usage_cache_read,
  usage_cache_write, usage_cache_write_hour, usage_reasoning, cost, cost_source, ${FIRST_BYTE.sql} as first_byte, ${RATE.sql} as rate`;

/**
 * Returns common table expressions that end with `measured`: the rows of `from`, which has {@link MEASURED_COLUMNS}, and their buckets `f`
 * and `r`. They are materialized, because SQLite would otherwise compute a bucket anew for each column that counts it.
 */
export function withBuckets(from: RawBuilder<unknown>): RawBuilder<unknown> {
  const f = sql.raw(bucketSql('first_byte', FIRST_BYTE));
  const r = sql.raw(bucketSql('rate', RATE));
  return sql`valued as materialized (${from}),
    measured as materialized (select *, ${f} as f, ${r} as r from valued)`;
}

function bucketSql(value: string, { ends }: Buckets): string {
  const cases = ends.map((end, place) => `when ${value} < ${end} then ${place}`).join(' ');
  return `case when ${value} is null then null ${cases} else ${ends.length} end`;
}

/** Aggregates the buckets `f` and `r` of rows in the way of {@link countSpeeds}. */
export const SPEED_SUMS = [FIRST_BYTE, RATE]
  .flatMap(({ letter, ends }) =>
    Array.from(
      { length: ends.length + 1 },
      (_, place) => `coalesce(sum(times) filter (where ${letter} = ${place}), 0)`,
    ),
  )
  .join(', ');

/** Computes median and 95th percentile of a measure from the counts of its buckets; `null` when there are none. */
export function toSpeed({ ends }: Buckets, counts: readonly number[]): Speed | null {
  const of = counts.reduce((sum, count) => sum + count, 0);
  if (of <= 0) return null;
  return {
    median: percentile(ends, counts, of * 0.5),
    p95: percentile(ends, counts, of * 0.95),
    of,
  };
}

/** Values are taken to lie in even proportions in their bucket. */
function percentile(ends: readonly number[], counts: readonly number[], rank: number): number {
  let below = 0;
  for (const [place, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const from = place === 0 ? (ends[0] ?? 1) / FACTOR : (ends[place - 1] ?? 1);
      return from * FACTOR ** ((rank - below) / count);
    }
    below += count;
  }
  return ends.at(-1) ?? 0;
}
