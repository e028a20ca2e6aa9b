import type { DatabaseSync } from 'node:sqlite';
import type { BookEntry } from '../../../../sandbox/server.ts';
import type { SeenExchange } from '../client.ts';
import { costBy, type CountedTokens, hasImagePrice, videoCostBy } from '../price-cards.ts';
import { type PlannedExchange, planExchange } from '../plan.ts';
import type { UsageRow } from './rows.ts';

/** Of rows that were recovered after a kill: the record of an answer is written a moment after it was given. */
const KILLED = 'gateway_stopped';

type Pair = readonly [row: UsageRow, entry: BookEntry];

/** Compares one row with the books: what was reported must be there to the last token, and cost what its price says. */
export function checkReported(
  row: UsageRow,
  entry: BookEntry,
  { seen, planned }: { readonly seen: SeenExchange | undefined; readonly planned: PlannedExchange },
): readonly string[] {
  const { images, videoSeconds } = planned;
  const found = [...checkCost(row, entry, planned)];
  if (hasImagePrice(entry.model)) found.push(...compare('images', [row.images], [images]));
  if (row.costSource === null) found.push('charged, but the row has nothing to pay');
  if (videoSeconds !== null) {
    if (row.input !== null || row.output !== null) found.push('a video with tokens');
  } else if (row.source === 'reported') found.push(...checkTokens(row, entry));
  else if (row.source === 'unknown') found.push('charged, but the usage is unknown');
  else if (entry.isReported && seen?.ending === 'whole' && row.errorCode !== KILLED)
    found.push('its usage was reported and its client got the whole answer, but it is estimated');
  const { number, status, endedBy, attempts, errorCode, bytesOut } = row;
  const facts = JSON.stringify({
    status,
    endedBy,
    attempts,
    errorCode,
    bytesOut,
    ...seen,
    ...entry,
  });
  return found.map((what) => `${number ?? ''}: ${what}. ${facts}`);
}

function checkTokens(row: UsageRow, entry: BookEntry): readonly string[] {
  if (!entry.isReported || entry.usage === null)
    return ['the row says that its usage was reported, but it was not'];
  const { url, usage } = entry;
  const hour = url.startsWith('/v1/messages') ? usage.writtenHour : null;
  const expected = [usage.input, usage.output, usage.cached, usage.reasoning];
  const stored = [row.input, row.output, row.cacheRead, row.reasoning];
  const caches = [row.cacheWrite ?? 0, row.cacheWriteHour ?? 0];
  return [
    ...compare('tokens', stored, expected),
    ...compare('cache writes', caches, [usage.written, hour ?? 0]),
  ];
}

function compare(
  name: string,
  stored: readonly (number | null)[],
  expected: readonly number[],
): readonly string[] {
  return JSON.stringify(stored) === JSON.stringify(expected)
    ? []
    : [`${name} ${JSON.stringify(stored)} instead of ${JSON.stringify(expected)}`];
}

function checkCost(
  row: UsageRow,
  entry: BookEntry,
  { images, videoSeconds }: PlannedExchange,
): readonly string[] {
  if (row.costSource === null || (videoSeconds === null && row.source === 'unknown')) return [];
  const tokens = row.source === 'reported' ? toTokens(entry, images) : ofRow(row, images);
  const expected = videoSeconds === null ? costBy(entry.model, tokens) : videoCostBy(videoSeconds);
  const stored = row.cost === null ? null : BigInt(row.cost);
  return stored === expected ? [] : [`cost ${stored} instead of ${expected}`];
}

function ofRow(row: UsageRow, images: number): CountedTokens {
  const { input, output, cacheRead, cacheWrite, cacheWriteHour, reasoning } = row;
  return {
    input: input ?? 0,
    output: output ?? 0,
    cacheRead: cacheRead ?? 0,
    cacheWrite: cacheWrite ?? 0,
    cacheWriteHour: cacheWriteHour ?? 0,
    reasoning: reasoning ?? 0,
    images,
  };
}

function toTokens({ url, usage }: BookEntry, images: number): CountedTokens {
  const {
    input = 0,
    output = 0,
    cached = 0,
    written = 0,
    writtenHour = 0,
    reasoning = 0,
  } = usage ?? {};
  const cacheWriteHour = url.startsWith('/v1/messages') ? writtenHour : 0;
  return {
    input,
    output,
    cacheRead: cached,
    cacheWrite: written,
    cacheWriteHour,
    reasoning,
    images,
  };
}

/** Compares the sums of everything reported with those of the books. */
export function checkTotals(
  pairs: readonly Pair[],
  seed: number,
  db: DatabaseSync,
): readonly string[] {
  const reported = pairs.filter(([row]) => row.source === 'reported');
  let [input, output, cost] = [0n, 0n, 0n];
  for (const [row, entry] of reported) {
    const tokens = toTokens(entry, planExchange(seed, row.number ?? -1).images);
    input += BigInt(tokens.input);
    output += BigInt(tokens.output);
    cost += costBy(entry.model, tokens) ?? 0n;
  }
  const sum = db
    .prepare(
      `select sum(usage_input) as input, sum(usage_output) as output, coalesce(sum(cost), 0) as cost from exchange where usage_source = 'reported'`,
    )
    .get();
  const stored = [sum?.['input'], sum?.['output'], sum?.['cost']].map(String);
  const expected = [input, output, cost].map(String);
  return stored.join() === expected.join()
    ? []
    : [`Totals of tokens and cost are ${stored.join(', ')} instead of ${expected.join(', ')}.`];
}
