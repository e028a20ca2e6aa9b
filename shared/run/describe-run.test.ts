import { expect, test } from 'vitest';
import { UNKNOWN_USAGE } from '../exchange/usage.ts';
import { describeStepFailure, findStepEnding } from './describe-run.ts';
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
