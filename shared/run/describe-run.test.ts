import { expect, test } from 'vitest';
import { UNKNOWN_USAGE } from '../exchange/usage.ts';
import { describeStepFailure, findStepEnding, splitRunTime } from './describe-run.ts';
import { RunStep } from './run.ts';

const aStep = (change: Partial<RunStep>) =>
  RunStep.parse({
    protocol: 'chat',
    clientName: 'Cline',
    model: 'acme/large',
    status: 200,
    errorCode: null,
    endedBy: 'service',
    durationMs: 1_000,
    firstByteMs: 100,
    usage: UNKNOWN_USAGE,
    id: 'ex-1',
    startedAt: 0,
    prompt: null,
    results: [],
    moreResults: 0,
    answer: null,
    calls: [],
    moreCalls: 0,
    context: { system: 0, tools: 0, history: 0, newest: 0, largestTools: [], largestResults: [] },
    finish: null,
    repeated: false,
    change: null,
    error: null,
    ...change,
  });

test.each([
  [{}, 'answered', null],
  [{ endedBy: 'client' }, 'left', 'client left'],
  [{ status: 502, errorCode: 'upstream_unreachable' }, 'failed', '502 unreachable'],
  [{ status: 500, error: 'Busy.' }, 'failed', '500 service error: Busy.'],
  [{ error: 'Overloaded.' }, 'failed', '200: Overloaded.'],
] as const)('a step with %j counts as %s', (change, ending, words) => {
  expect(findStepEnding(aStep(change))).toBe(ending);
  expect(describeStepFailure(aStep(change))).toBe(words);
});

test('the time for which a person let a request wait is no time of the model', () => {
  const steps = [
    aStep({ durationMs: 90_000, heldMs: 60_000 }),
    aStep({ startedAt: 95_000, durationMs: 1_000 }),
  ];
  const sequence = { id: 1, kind: 'main', startedBy: null, steps } as const;
  expect(splitRunTime([sequence])).toEqual({ model: 31_000, tools: 0, waiting: 65_000 });
});
