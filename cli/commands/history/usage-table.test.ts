import { expect, test } from 'vitest';
import type { UsageRow } from './read-usage.ts';
import { describeSums, usageTable } from './usage-table.ts';

const ROW: UsageRow = {
  key: 'acme/large',
  exchanges: 4,
  errors: 1,
  refused: 0,
  input: 10,
  output: 5,
  cacheRead: null,
  cacheWrite: null,
  cacheWriteHour: null,
  reasoning: null,
  reported: 3,
  estimated: 0,
  unknown: 1,
  cost: 3_000_000,
  costEstimated: 0,
  unpriced: 0,
  firstByte: { median: 420, p95: 900, of: 3 },
  rate: null,
};
const CHEAP = { ...ROW, key: null, cost: 1_000_000, costEstimated: 2 };
const UNPRICED = { ...ROW, key: 'acme/new', cost: null, unpriced: 4 };

test('bars compare costs, estimates have a tilde, and what is not known is never zero', () => {
  const { head, rows } = usageTable('model', [ROW, CHEAP, UNPRICED], 'USD');
  expect(head[9]).toBe('Tokens known');
  expect(rows.map((row) => row.slice(0, 3))).toEqual([
    ['acme/large', '████████████', '$3.00'],
    ['–', '████', '~$1.00'],
    ['acme/new', '', 'no price'],
  ]);
  expect(rows[0]?.slice(9)).toEqual(['3 of 4', '420 ms', '–']);
});

test('bars compare tokens where nothing has a cost', () => {
  const { rows } = usageTable('client', [UNPRICED, { ...UNPRICED, input: 0, output: 0 }], 'EUR');
  expect(rows.map(([, bar]) => bar)).toEqual(['████████████', '']);
});

test('refusals, requests without a known cost and estimates are named', () => {
  expect(describeSums([ROW], 'gatehouse', null)).toEqual([]);
  expect(describeSums([CHEAP, UNPRICED], 'gatehouse', null)).toEqual([
    '4 requests have no known cost and are not in the money. Prices: gatehouse prices',
    'The cost of 2 requests is estimated (~).',
  ]);
  expect(describeSums([{ ...ROW, refused: 1 }], 'gatehouse', null)).toEqual([
    'The errors include 1 request that a limit refused.',
  ]);
});

test('what belongs to no run may be of an earlier run once there are many requests', () => {
  const rest = { ...ROW, run: null };
  const few = usageTable('run', [{ ...rest, exchanges: 200_000 }], 'USD');
  expect(few.rows[0]?.[0]).toBe('no run');
  const many = usageTable('run', [{ ...rest, exchanges: 200_001 }], 'USD');
  expect(many.rows[0]?.[0]).toBe('no run, or an earlier one');
});

test('requests before there was a price name the command that computes their costs', () => {
  const since = new Date(2026, 10, 21, 12).getTime();
  expect(describeSums([UNPRICED], 'gatehouse', { exchanges: 3, since })).toEqual([
    '3 requests were made before there was a price and are not in the money. To compute the cost: gatehouse prices apply --since 2026-11-21',
    '1 request has no known cost and is not in the money. Prices: gatehouse prices',
  ]);
});
