import { expect, test } from 'vitest';
import type { UsageColumns } from '../../../../shared/reconcile/usage-columns.ts';
import { formatShortDate } from '../../../format/format.ts';
import { describeDifference } from './describe-difference.ts';
import { toCsv } from './differences-csv.ts';
import { formatPeriod, formatTime, toSumFilter } from './format-time.ts';

const COLUMNS: UsageColumns = {
  time: 'time',
  model: 'model',
  id: null,
  requests: null,
  input: ['input'],
  output: ['output'],
  cost: 'cost',
  rows: 'request',
  timeZone: 'utc',
};
const NONE = { requests: 0, input: 0, output: 0, cost: 0 };
const AT = Date.UTC(2026, 10, 20, 9, 5, 7);

test.each([
  [NONE, 'Both sides have the same totals.'],
  [
    { ...NONE, requests: 1, input: 2 },
    'The export has 1 request and 2 input tokens more than the history.',
  ],
  [{ ...NONE, cost: -250_000 }, 'The export has $0.25 less than the history.'],
  [
    { requests: 2, input: -1, output: 3, cost: 1_000_000 },
    'The export has 2 requests, 3 output tokens and $1.00 more, and 1 input token less than the history.',
  ],
])('the difference %o is said in words', (difference, words) => {
  expect(describeDifference(difference, COLUMNS, 'USD')).toBe(words);
});

test('what the export does not have is not a difference', () => {
  const columns = { ...COLUMNS, cost: null };
  expect(describeDifference({ ...NONE, cost: -5 }, columns, 'USD')).toBe(
    'Both sides have the same totals.',
  );
});

test('times are in the time zone of the export, as precise as its rows', () => {
  const local = new Date(2026, 10, 20, 9, 5, 7).getTime();
  const day = formatShortDate(local, local);
  const write = (columns: object) => formatTime(AT, { ...COLUMNS, ...columns }, local);
  expect(write({})).toBe(`${day}, 09:05:07`);
  expect(write({ rows: 'hour' })).toBe(`${day}, 09:05`);
  expect(write({ rows: 'day' })).toBe(day);
  const zone = { rows: 'request', timeZone: 'local' } as const;
  expect(formatTime(local, zone, local)).toBe(`${day}, 09:05:07`);
  expect(formatPeriod({ since: AT, until: AT + 60_000 }, COLUMNS, local)).toBe(
    `${day}, 09:05 – ${day}, 09:06 UTC`,
  );
});

test('times of another year have it', () => {
  const local = new Date(2026, 10, 20, 9, 5, 7).getTime();
  const later = new Date(2027, 5, 1).getTime();
  const day = formatShortDate(local, later);
  expect(day).toContain('2026');
  expect(formatTime(AT, COLUMNS, later)).toBe(`${day}, 09:05:07`);
});

function list(...first: Parameters<typeof toCsv>[0]['different']['first']) {
  return { count: first.length, first };
}

test('the file has each difference with its sides, and no formula', () => {
  const one = { at: AT, until: null, model: '=1+"1"', place: 4, exchange: null };
  const sums = { requests: 1, input: 10, output: 5, cost: 1_250_000 };
  const text = toCsv(
    {
      onlyInExport: list({ ...one, export: sums, history: null }),
      onlyInHistory: list(),
      different: list({ ...one, model: 'm', export: sums, history: { ...sums, input: 9 } }),
    },
    COLUMNS,
    'EUR',
  );
  expect(text.split('\r\n')).toEqual([
    'difference,time,model,exchange,row,export_requests,export_input,export_output,export_cost_eur,history_requests,history_input,history_output,history_cost_eur',
    `only in the export,2026-11-20T09:05:07.000Z,"'=1+""1""",,4,1,10,5,1.25,,,,`,
    'different,2026-11-20T09:05:07.000Z,"m",,4,1,10,5,1.25,1,9,5,1.25',
    '',
  ]);
});

test('a sum leads to the requests of its time', () => {
  expect(toSumFilter({ at: AT, until: AT + 3_600_000, model: 'a "b"' }, 'sandbox')).toBe(
    String.raw`service:"sandbox" since:2026-11-20T09:05:07.000Z until:2026-11-20T10:05:06.999Z "a \"b\""`,
  );
});
