import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLimitStep, LimitSteps } from './limit-step.ts';
import { LimitId, type LimitState } from './limit.ts';

function aLimit(fields: Partial<LimitState>): LimitState {
  return {
    id: LimitId.parse('limit-1'),
    clientId: null,
    clientName: null,
    measure: 'money',
    amount: 100,
    period: 'day',
    rolling: false,
    createdAt: 0,
    suspended: null,
    allowedOnceAt: null,
    used: 0,
    run: null,
    resetsAt: 1_000,
    refusedAt: null,
    refusedNeed: null,
    ...fields,
  };
}

test.each([
  [79, undefined],
  [80, 80],
  [94, 80],
  [95, 95],
  [99, 95],
  [100, 100],
  [250, 100],
])('with %i of 100 used the step is %s', (used, percent) => {
  expect(findLimitStep(aLimit({ used }))?.percent).toBe(percent);
});

test('a limit for each run is told of for each run by itself', () => {
  const steps = new LimitSteps();
  const tell = (run: string, used: number) =>
    steps
      .update([aLimit({ period: 'run', resetsAt: null, run, used })])
      .map(({ percent }) => percent);
  expect(tell('run-1', 85)).toEqual([80]);
  expect(tell('run-1', 90)).toEqual([]);
  expect(tell('run-2', 96)).toEqual([95]);
  // The one that has used most changes to and fro.
  expect(tell('run-1', 90)).toEqual([]);
  expect(tell('run-2', 97)).toEqual([]);
  expect(tell('run-1', 95)).toEqual([95]);
});

test('a refusal is told once, and one without a price hides no share that is used later', () => {
  const steps = new LimitSteps();
  const tell = (fields: Partial<LimitState>) =>
    steps.update([aLimit(fields)]).map(({ percent }) => percent);
  const unpriced = { used: 10, refusedAt: 1, refusedNeed: null };
  expect([tell(unpriced), tell(unpriced)]).toEqual([[100], []]);
  expect([tell({ used: 10 }), tell({ used: 85 })]).toEqual([[], [80]]);
  const rolling = { rolling: true, amount: 200, used: 10, refusedAt: 1, refusedNeed: 195 };
  expect([tell(rolling), tell(rolling)]).toEqual([[100], []]);
});

test('what comes and goes within a minute has no steps', () => {
  expect(findLimitStep(aLimit({ used: 100, period: 'minute' }))).toBeNull();
  expect(findLimitStep(aLimit({ used: 100, measure: 'concurrent' }))).toBeNull();
});

test.each([false, true])(
  'each share is told once in a period, however use goes (rolling: %s)',
  (rolling) => {
    const changes = fc.array(fc.integer({ min: -40, max: 60 }), { maxLength: 20 });
    fc.assert(
      fc.property(changes, changes, (first, second) => {
        const steps = new LimitSteps();
        for (const [resetsAt, additions] of [
          [1, first],
          [2, second],
        ] as const) {
          const reported: number[] = [];
          let [used, most] = [0, 0];
          for (const added of additions) {
            // Less than 70 percent of a rolling limit begins anew.
            used = Math.max(rolling ? 70 : 0, used + added);
            most = Math.max(most, used);
            reported.push(
              ...steps.update([aLimit({ used, resetsAt, rolling })]).map(({ percent }) => percent),
            );
          }
          expect(reported).toEqual([...new Set(reported)].toSorted((a, b) => a - b));
          if (rolling) return;
          const highest = findLimitStep(aLimit({ used: most, resetsAt }))?.percent;
          expect(reported.at(-1)).toBe(highest);
        }
      }),
    );
  },
);

test('a rolling limit is told of anew when little was used between, and a changed amount as another', () => {
  const steps = new LimitSteps();
  const tell = (fields: Partial<LimitState>) =>
    steps.update([aLimit({ rolling: true, ...fields })]).map(({ percent }) => percent);
  expect(tell({ used: 85 })).toEqual([80]);
  expect(tell({ used: 75 })).toEqual([]);
  expect(tell({ used: 85 })).toEqual([]);
  expect(tell({ used: 60 })).toEqual([]);
  expect(tell({ used: 85 })).toEqual([80]);
  expect(tell({ used: 85, amount: 90 })).toEqual([80]);
  expect(steps.update([])).toEqual([]);
  expect(tell({ used: 85, amount: 90 })).toEqual([80]);
});
