import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDecimal } from '../../../shared/money/decimal.ts';
import { parseCost, parseCount, parseExportTime } from './parse-cells.ts';

const AT = Date.UTC(2026, 10, 20, 12, 30, 5, 123);

test.each([
  ['2026-11-20T12:30:05.123Z', AT],
  [' 2026-11-20T12:30:05.123456789Z ', AT],
  ['2026-11-20 12:30:05,123 UTC', AT],
  ['2026/11/20 14:30:05.123+02:00', AT],
  ['2026-11-20T05:00:05.123-0730', AT],
  [String(AT), AT],
  [String(AT * 1_000), AT],
  [String(Math.floor(AT / 1_000)), AT - 123],
  [`${Math.floor(AT / 1_000)}.123`, AT],
  ['2026-11-20 12:30', Date.UTC(2026, 10, 20, 12, 30)],
  ['2026-11-20', Date.UTC(2026, 10, 20)],
])('%s is a time', (text, at) => {
  expect(parseExportTime(text, 'utc')).toEqual({ at, day: text === '2026-11-20' });
});

test('a time without a zone is local when that was chosen', () => {
  expect(parseExportTime('2026-11-20 12:30', 'local')?.at).toBe(
    new Date(2026, 10, 20, 12, 30).getTime(),
  );
  expect(parseExportTime('2026-11-20T12:30Z', 'local')?.at).toBe(Date.UTC(2026, 10, 20, 12, 30));
});

test.each(['', '0', '12', '2026', '2026-02-29', '2026-13-01', '2026-11-20T24:00', '20.11.2026'])(
  '%j is no time',
  (text) => {
    expect(parseExportTime(text, 'utc')).toBeNull();
  },
);

test('every time and amount that is written is read as the same', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true }),
      fc.nat({ max: 1e12 }),
      fc.boolean(),
      (date, amount, isCredit) => {
        expect(parseExportTime(date.toISOString(), 'local')?.at).toBe(date.getTime());
        const sign = isCredit && amount > 0 ? -1 : 1;
        const text = `${sign < 0 ? '-' : ''}$${formatDecimal(amount)}`;
        expect(parseCost(text)).toBe(sign * amount);
        expect(parseCount(String(amount))).toBe(amount);
      },
    ),
  );
});

test('any text is a number or none', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const value of [
        parseCount(text),
        parseCost(text),
        parseExportTime(text, 'local')?.at ?? null,
      ]) {
        expect(value === null || Number.isSafeInteger(value)).toBe(true);
      }
    }),
  );
});
