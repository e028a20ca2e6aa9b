import { describe, expect, test } from 'vitest';
import { UNKNOWN_USAGE, type Usage } from '../exchange/usage.ts';
import { describeStepFailure, findCacheMiss, findStepEnding } from './describe-run.ts';
import { RunStep } from './run.ts';

const usageOf = (usage: Partial<Usage>): Usage => ({
  ...UNKNOWN_USAGE,
  source: 'reported',
  ...usage,
});
const step = (startedAt: number, usage: Partial<Usage>) => ({
  startedAt,
  durationMs: 1_000,
  usage: usageOf(usage),
  change: null,
});

describe('a miss of the cache', () => {
  test.each([
    ['wrote', { cacheRead: 0, cacheWrite: 4_000 }],
    ['read', { cacheRead: 4_000, cacheWrite: 0 }],
    ['reported no writes', { cacheRead: 0, cacheWrite: null }],
  ])('is found where the request before %s', (_, cached) => {
    const before = step(0, { input: 4_000, ...cached });
    const miss = findCacheMiss(step(2_000, { input: 4_500, cacheRead: 0 }), before);
    expect(miss).toMatchObject({ lost: 4_000 });
  });

  test('is none where the request before left nothing in a cache', () => {
    const before = step(0, { input: 4_000, cacheRead: 0, cacheWrite: 0 });
    const now = step(2_000, { input: 4_500, cacheRead: 0, cacheWrite: 0 });
    expect(findCacheMiss(now, before)).toBeNull();
  });

  test.each([
    ['most of it was read', { cacheRead: 3_900 }],
    ['the service reports no reads', { cacheRead: null }],
  ])('is none where %s', (_, cached) => {
    const before = step(0, { input: 4_000, cacheRead: 0, cacheWrite: 4_000 });
    expect(findCacheMiss(step(2_000, { input: 4_500, ...cached }), before)).toBeNull();
  });

  test('after more than five minutes is explained by the age of the cache', () => {
    const before = step(0, { input: 4_000, cacheRead: 0, cacheWrite: 4_000 });
    const miss = findCacheMiss(step(400_000, { input: 4_500, cacheRead: 0 }), before);
    expect(miss?.cause).toContain('caches expire');
  });
});

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
