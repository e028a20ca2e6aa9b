import { expect, it, test } from 'vitest';
import {
  describeCost,
  describeCosts,
  formatCostSums,
  formatRunCost,
  formatShortCost,
} from './describe-cost.ts';
import { formatListedMoney, formatMoney, roundMoneyUp } from './format-money.ts';

const EUR = { currency: 'EUR', service: 'https://a.example' };

it.each([
  [null, null],
  [{ amount: null, source: 'unpriced', priceId: null }, 'no price known'],
  [{ amount: null, source: 'unknown', priceId: 1 }, 'unknown: there are no counts'],
  [{ amount: 12_345, source: 'reported', priceId: 1 }, '€0.012 (from known counts)'],
  [{ amount: 1_500_000, source: 'estimated', priceId: 1 }, '€1.50 (estimated)'],
] as const)('the cost %j is “%s”', (cost, text) => {
  expect(describeCost(cost, EUR)).toBe(text);
});

it('says that nobody is charged for the sandbox', () => {
  const cost = { amount: 5, source: 'reported', priceId: -1 } as const;
  expect(describeCost(cost, { currency: 'USD', service: 'sandbox' })).toBe(
    '$0.000005 (sandbox, not charged)',
  );
});

it('describes a total with what it lacks', () => {
  const { service } = EUR;
  const reported = { amount: 1_000_000, source: 'reported', priceId: 1, service } as const;
  const unpriced = { amount: null, source: 'unpriced', priceId: null, service } as const;
  expect(describeCosts([], 'EUR')).toBeNull();
  expect(describeCosts([reported, reported], 'EUR')).toBe('€2.00');
  expect(describeCosts([reported, { ...reported, source: 'estimated' }, unpriced], 'EUR')).toBe(
    '€2.00, 1 estimated, 1 without a price',
  );
  expect(describeCosts([unpriced], 'EUR')).toBe('unknown: 1 without a price');
  const free = { ...reported, service: 'sandbox' } as const;
  expect(describeCosts([free, { ...unpriced, service: 'sandbox' }], 'EUR')).toBe(
    '€1.00 (sandbox, not charged), 1 without a price',
  );
  expect(describeCosts([free, reported, free], 'EUR')).toBe('€1.00, 2 free in the sandbox');
});

test.each([
  [{ cost: null, costEstimated: 0, unpriced: 2 }, 'no price'],
  [{ cost: null, costEstimated: 0, unpriced: 0 }, '–'],
  [{ cost: 1_500_000, costEstimated: 0, unpriced: 2 }, '$1.50'],
  [{ cost: 1_500_000, costEstimated: 1, unpriced: 0 }, '~$1.50'],
  [{ cost: 0, costEstimated: 0, unpriced: 0 }, '$0.00'],
])('the cost %j is shown as %s', (costs, text) => {
  expect(formatCostSums(costs, 'USD')).toBe(text);
});

test.each([
  [{ cost: null, costEstimated: 0, unpriced: 0, isFree: false }, '–'],
  [{ cost: null, costEstimated: 0, unpriced: 2, isFree: false }, 'no price'],
  [{ cost: 1_500_000, costEstimated: 1, unpriced: 2, isFree: false }, '~$1.50, 2 of unknown cost'],
  [{ cost: 1_500_000, costEstimated: 0, unpriced: 0, isFree: true }, '$1.50 not charged'],
])('the cost %j of a run is shown as %s', (money, text) => {
  expect(formatRunCost(money, 'USD')).toBe(text);
});

test.each([
  [null, EUR.service, ''],
  [{ amount: null, source: 'unpriced', priceId: null }, EUR.service, 'no price'],
  [{ amount: null, source: 'unknown', priceId: 1 }, EUR.service, '–'],
  [{ amount: 12_345, source: 'reported', priceId: 1 }, EUR.service, '€0.012'],
  [{ amount: 12_345, source: 'estimated', priceId: 1 }, EUR.service, '€0.012 est.'],
  [{ amount: 12_345, source: 'reported', priceId: -1 }, 'sandbox', '€0.012 not charged'],
] as const)('the cost %j of %s is in a table as “%s”', (cost, service, text) => {
  expect(formatShortCost(cost, { currency: 'EUR', service })).toBe(text);
});

it.each([
  [1_234_900, 1_240_000, '$1.24'],
  [1_230_000, 1_230_000, '$1.23'],
  [994_990, 1_000_000, '$1.00'],
  [12_345, 13_000, '$0.013'],
  [7, 7, '$0.000007'],
  [0, 0, '$0.00'],
])('%i millionths are rounded up to %i, which is shown whole', (micros, rounded, shown) => {
  expect(roundMoneyUp(micros)).toBe(rounded);
  expect(formatMoney(rounded, 'USD')).toBe(shown);
});

it.each([
  [9_990, '$0.010'],
  [10_000, '$0.010'],
  [9_940, '$0.0099'],
  [99_960, '$0.10'],
  [100_000, '$0.10'],
  [9, '$0.000009'],
])('%i millionths are %s: amounts beside each other have as many digits', (micros, text) => {
  expect(formatMoney(micros, 'USD')).toBe(text);
});

it.each([
  [0, '$0.00'],
  [99, '<$0.0001'],
  [100, '$0.00010'],
  [730, '$0.00073'],
  [1_500_000, '$1.50'],
])('%i millionths are %s in a list', (micros, text) => {
  expect(formatListedMoney(micros, 'USD')).toBe(text);
});
