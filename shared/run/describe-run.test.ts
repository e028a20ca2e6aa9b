import { expect, test } from 'vitest';
import { ExchangeId } from '../exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../exchange/usage.ts';
import {
  describeStepFailure,
  findStepEnding,
  groupFailures,
  splitRunTime,
} from './describe-run.ts';
import { type RunSequence, RunStep } from './run.ts';

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
  [{ status: 500, error: 'Busy.' }, 'failed', '500 service error: Busy'],
  [{ error: 'Overloaded.' }, 'failed', '200: Overloaded'],
] as const)('a step with %j counts as %s', (change, ending, words) => {
  expect(findStepEnding(aStep(change))).toBe(ending);
  expect(describeStepFailure(aStep(change))).toBe(words);
});

test('the time for which a person let a request wait is no time of the model', () => {
  const steps = [
    aStep({ durationMs: 90_000, heldMs: 60_000, firstByteMs: 70_000 }),
    aStep({ startedAt: 95_000, durationMs: 1_000 }),
  ];
  const sequence = { id: 1, kind: 'main', startedBy: null, steps } as const;
  expect(splitRunTime([sequence])).toEqual({
    firstByte: 10_100,
    answering: 20_900,
    tools: 0,
    waiting: 65_000,
  });
});

test('the parts of the time of a run are its whole time, also before and after its main steps', () => {
  const title = aStep({ durationMs: 2_000, heldMs: 1_500 });
  const first = aStep({ startedAt: 12_000, durationMs: 3_000 });
  const second = aStep({
    startedAt: 19_000,
    results: [{ callId: null, name: 'ls', isError: false, text: '', length: 0 }],
  });
  // Of these two the first runs before and after the second step, and the other beside it.
  const agents = [
    aStep({ startedAt: 16_000, durationMs: 5_500 }),
    aStep({ startedAt: 17_000, durationMs: 4_000 }),
  ];
  const sequences: RunSequence[] = [
    { id: 1, kind: 'helper', startedBy: null, steps: [title] },
    { id: 2, kind: 'main', startedBy: null, steps: [first, second] },
    { id: 3, kind: 'agent', startedBy: null, steps: agents },
  ];
  expect(splitRunTime(sequences)).toEqual({
    firstByte: 200,
    answering: 5_800,
    tools: 4_000,
    waiting: 11_500,
  });
});

test('the same request that fails again and again is put together, and nothing else', () => {
  const failed = (id: string, change: Partial<RunStep> = {}) =>
    aStep({ id: ExchangeId.parse(id), status: 500, error: 'Busy.', repeated: true, ...change });
  const steps = [
    failed('ex-1', { repeated: false }),
    failed('ex-2'),
    failed('ex-3'),
    failed('ex-4', { status: 503 }),
    failed('ex-5', { status: 503, model: 'acme/small' }),
    failed('ex-6', { repeated: false }),
    failed('ex-7'),
    aStep({ id: ExchangeId.parse('ex-8') }),
    aStep({ id: ExchangeId.parse('ex-9'), repeated: true }),
    aStep({ id: ExchangeId.parse('ex-10'), repeated: true }),
  ];
  const groups = groupFailures(steps).map(({ step, again }) =>
    [step, ...again].map(({ id }) => id),
  );
  expect(groups).toEqual([
    ['ex-1', 'ex-2', 'ex-3'],
    ...['ex-4', 'ex-5', 'ex-6', 'ex-7', 'ex-8', 'ex-9', 'ex-10'].map((id) => [id]),
  ]);
});
