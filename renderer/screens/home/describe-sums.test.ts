import { expect, test } from 'vitest';
import type { UsageSums } from '../../../shared/history/history.ts';
import { describeSources, sumDays } from './describe-sums.ts';

const NONE: UsageSums = {
  exchanges: 0,
  errors: 0,
  refused: 0,
  input: null,
  output: null,
  reported: 0,
  estimated: 0,
  unknown: 0,
  cost: null,
  costEstimated: 0,
  unpriced: 0,
};

test('where tokens come from is named for each part of the answers', () => {
  expect(describeSources(NONE)).toBe('nothing yet');
  expect(describeSources({ reported: 4, estimated: 0, unknown: 0 })).toBe(
    'reported by the service',
  );
  expect(describeSources({ reported: 1200, estimated: 3, unknown: 1 })).toBe(
    '1,200 of 1,204 answers reported tokens, 3 estimated',
  );
  expect(describeSources({ reported: 0, estimated: 0, unknown: 2 })).toBe(
    '0 of 2 answers reported tokens',
  );
});

test('days are summed, and what no day knows stays unknown', () => {
  const days = [
    { ...NONE, exchanges: 2, errors: 1, refused: 1, input: 10, reported: 1, unknown: 1 },
    { ...NONE, exchanges: 1, input: 5, reported: 1 },
    NONE,
  ];
  expect(sumDays(days)).toEqual({
    exchanges: 3,
    errors: 1,
    refused: 1,
    input: 15,
    output: null,
    reported: 2,
    estimated: 0,
    unknown: 1,
    cost: null,
    costEstimated: 0,
    unpriced: 0,
  });
});
