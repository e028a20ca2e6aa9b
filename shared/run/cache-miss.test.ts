import { describe, expect, test } from 'vitest';
import { ExchangeId } from '../exchange/exchange.ts';
import { UNKNOWN_USAGE, type Usage } from '../exchange/usage.ts';
import {
  describeChange,
  describeMisses,
  findCacheMiss,
  findRunCache,
  type ReadingStep,
} from './cache-miss.ts';
import { type RunSequence, RunStep, StepChange, type StepComparison } from './run.ts';

const usageOf = (usage: Partial<Usage>): Usage => ({
  ...UNKNOWN_USAGE,
  source: 'reported',
  ...usage,
});
const MINUTE = 60_000;

const step = (
  startedAt: number,
  usage: Partial<Usage>,
  facts: Partial<ReadingStep> = {},
): ReadingStep => ({
  startedAt,
  durationMs: 10_000,
  firstByteMs: 1_000,
  model: 'm',
  results: [],
  change: null,
  usage: usageOf(usage),
  ...facts,
});
const comparison = (facts: Partial<StepComparison> = {}): StepComparison => ({
  with: ExchangeId.parse('ex-1'),
  lifeMs: 5 * MINUTE,
  follows: true,
  isWhole: true,
  isOtherAgent: false,
  parameters: [],
  ...facts,
});
const change = (facts: object): StepChange =>
  StepChange.parse({ part: 'system', place: 0, name: 'system', before: 'a', now: 'b', ...facts });

const WROTE = step(0, { input: 4_000, cacheRead: 0, cacheWrite: 4_000 });

/** Finds the causes of a request of 4,500 tokens that read nothing, 20 seconds after one that wrote 4,000. */
function causesOf(facts: Partial<ReadingStep>, { at = 20_000, before = WROTE } = {}) {
  const now = step(at, { input: 4_500, cacheRead: 0 }, { comparison: comparison(), ...facts });
  return findCacheMiss(now, before)?.causes ?? null;
}

describe('a miss of the cache', () => {
  test.each([
    ['wrote', { cacheRead: 0, cacheWrite: 4_000 }],
    ['read', { cacheRead: 4_000, cacheWrite: 0 }],
    ['read, and reports no writes', { cacheRead: 3_500, cacheWrite: null }],
  ])('is found where the request before %s', (_, cached) => {
    const before = step(0, { input: 4_000, ...cached });
    const miss = findCacheMiss(step(20_000, { input: 4_500, cacheRead: 0 }), before);
    expect(miss).toMatchObject({ lost: 4_000 });
  });

  test('is none at the first request, and where the request before left nothing in a cache', () => {
    const now = step(20_000, { input: 4_500, cacheRead: 0, cacheWrite: 0 });
    const nothing = step(0, { input: 4_000, cacheRead: 0, cacheWrite: 0 });
    const unknown = step(0, { input: 4_000, cacheRead: 0, cacheWrite: null });
    const found = [null, nothing, unknown].map((before) => findCacheMiss(now, before));
    expect(found).toEqual([null, null, null]);
  });

  test('counts only what was in the cache, where a client marks a part of its requests', () => {
    const marked = step(0, { input: 100_000, cacheRead: 5_000, cacheWrite: 0 });
    const usage = { input: 101_000, cacheWrite: 0 };
    expect(findCacheMiss(step(20_000, { ...usage, cacheRead: 5_000 }), marked)).toBeNull();
    expect(findCacheMiss(step(20_000, { ...usage, cacheRead: 0 }), marked)).toMatchObject({
      lost: 5_000,
    });
  });

  test('is none after an attempt whose tokens are an estimate, and at the first request of another agent', () => {
    const estimated = step(0, { input: 90_000, cacheRead: null, cacheWrite: null });
    expect(findCacheMiss(step(20_000, { input: 91_000, cacheRead: 40_000 }), estimated)).toBeNull();
    const isOtherAgent = true;
    expect(causesOf({ comparison: comparison({ isOtherAgent }) })).toBeNull();
  });

  test('after an unknown life names no terms of the service', () => {
    const causes = causesOf({ comparison: comparison({ lifeMs: null }) }, { at: 15 * MINUTE });
    expect(causes).toMatchObject([
      { kind: 'expired', text: expect.stringContaining('after which many services drop a cache') },
    ]);
  });

  test.each([
    ['most of it was read', { input: 4_500, cacheRead: 3_900 }],
    ['the service reports no reads', { input: 4_500, cacheRead: null }],
    ['less than 1,024 tokens are lost', { input: 1_023, cacheRead: 0 }],
  ])('is none where %s', (_, usage) => {
    expect(findCacheMiss(step(20_000, usage), WROTE)).toBeNull();
  });

  test('expires while a person lets the request wait', () => {
    const held = { durationMs: 10 * MINUTE, firstByteMs: 10 * MINUTE, heldMs: 9 * MINUTE };
    expect(causesOf(held)).toMatchObject([{ kind: 'expired' }]);
    expect(causesOf({ ...held, heldMs: 1_000 })).toMatchObject([{ kind: 'evicted' }]);
  });

  test.each<[string, Partial<ReadingStep>, string, RegExp]>([
    ['another model', { model: 'n' }, 'model', /from m to n/u],
    [
      'another tool choice',
      {
        comparison: comparison({
          parameters: [{ name: 'tool_choice', before: null, now: '"any"' }],
        }),
      },
      'parameters',
      /tool_choice was added \("any"\)/u,
    ],
    [
      'another temperature',
      { comparison: comparison({ parameters: [{ name: 'temperature', before: '1', now: '0' }] }) },
      'sampling',
      /temperature changed from 1 to 0, by which a few services cache/u,
    ],
    [
      'other tools',
      {
        change: change({
          part: 'tools',
          tools: { added: ['grep'], removed: ['ls'], changed: [], reordered: true, more: 2 },
        }),
      },
      'tools',
      /added grep; removed ls; in another order; 2 more/u,
    ],
    [
      'another system prompt',
      { change: change({ character: 812, looksLike: 'date' }) },
      'system',
      /the system prompt changed at character 812, a date/u,
    ],
    [
      'an edited message',
      { change: change({ part: 'message', place: 2, name: 'user', character: 4 }) },
      'message',
      /message 3 \(user\) changed at character 4/u,
    ],
    [
      'a newest message that is now different',
      { change: change({ part: 'message', place: 2, name: 'user', kind: 'newest' }) },
      'newest',
      /message 3 \(user\), which was new in the request before, is now different/u,
    ],
    [
      'missing marks',
      {
        comparison: comparison({
          parameters: [{ name: 'cache_control', before: 'true', now: null }],
        }),
      },
      'parameters',
      /the marks for the cache \(cache_control\) were left out/u,
    ],
    [
      'another order of keys',
      { change: change({ part: 'message', kind: 'key order', name: null }) },
      'key-order',
      /only the order of the keys in message 1 differs/u,
    ],
    ['equal requests', {}, 'evicted', /the service dropped it early or did not find it/u],
    [
      'equal requests of which parts are missing',
      { comparison: comparison({ isWhole: false }) },
      'unknown',
      /were not stored/u,
    ],
  ])('by %s is told apart', (_, facts, kind, words) => {
    const causes = causesOf(facts);
    expect(causes).toMatchObject([{ kind }]);
    expect(causes?.[0]?.text).toMatch(words);
  });

  test.each([
    [5 * MINUTE, 'about five minutes', 5 * MINUTE + 2_000],
    [60 * MINUTE, 'an hour', 60 * MINUTE + 2_000],
  ])('after a cache of %i ms expired says that it was kept for %s', (lifeMs, words, at) => {
    const facts = { comparison: comparison({ lifeMs }) };
    const causes = causesOf(facts, { at });
    expect(causes).toMatchObject([{ kind: 'expired', text: expect.stringContaining(words) }]);
    expect(causesOf(facts, { at: at - 2_000 })).toMatchObject([{ kind: 'evicted' }]);
  });

  test('names what changed before what expired', () => {
    const causes = causesOf({ change: change({}) }, { at: 6 * MINUTE });
    expect(causes?.map(({ kind }) => kind)).toEqual(['system', 'expired']);
  });

  test('of two requests at once is told apart from a clock that was set back', () => {
    const at = 500;
    const atOnce = causesOf({ comparison: comparison({ follows: false }) }, { at });
    expect(atOnce).toMatchObject([{ kind: 'at-once' }]);
    expect(causesOf({}, { at })).toMatchObject([
      { kind: 'unknown', text: expect.stringContaining('the clock was set back') },
    ]);
  });

  test('is none where the history was shortened, but for a cause beside it', () => {
    const shortened = change({ part: 'message', kind: 'shortened' });
    expect(causesOf({ change: shortened })).toBeNull();
    expect(causesOf({ change: shortened, model: 'n' })).toMatchObject([{ kind: 'model' }]);
  });

  test('of a step of an earlier version is explained by what it has', () => {
    const old = StepChange.parse({ part: 'tools', place: 1, name: 'ls', before: '', now: 'x' });
    expect(causesOf({ comparison: undefined, change: old })?.[0]?.text).toBe(
      'the definitions of tools changed, first that of ls',
    );
    expect(causesOf({ comparison: undefined })).toMatchObject([{ kind: 'unknown' }]);
  });
});

test('the misses of a run are summed, and what has no price is said', () => {
  const sum = { times: 3, lost: 41_000, cost: 120_000, unpriced: 0 };
  expect(describeMisses(sum, 'USD')).toBe('3 times, 41,000 tokens, about $0.12');
  expect(describeMisses({ ...sum, cost: null, unpriced: 3 }, 'USD')).toBe('3 times, 41,000 tokens');
  expect(describeMisses({ ...sum, times: 1, unpriced: 1 }, 'USD')).toContain('1 without a price');
  expect(describeMisses({ ...sum, times: 0 }, 'USD')).toBeNull();
});

test('a change without a text that differs names no character', () => {
  expect(describeChange(change({ place: 1 }))).toBe('text 2 of the system prompt changed');
});

const runStep = (startedAt: number, usage: Partial<Usage>): RunStep =>
  RunStep.parse({
    ...step(startedAt, usage),
    id: 'ex-1',
    protocol: 'messages',
    clientName: null,
    status: 200,
    errorCode: null,
    endedBy: 'service',
    prompt: null,
    moreResults: 0,
    answer: null,
    calls: [],
    moreCalls: 0,
    finish: null,
    error: null,
    context: { system: 0, tools: 0, history: 0, newest: 0, largestTools: [], largestResults: [] },
    repeated: false,
  });
const run = (kind: RunSequence['kind'], ...steps: readonly RunStep[]): RunSequence => ({
  id: 1,
  kind,
  startedBy: null,
  steps: [...steps],
});

const wrote = (cacheWriteHour: number) =>
  runStep(5_000, { input: 9, cacheRead: 0, cacheWrite: 9, cacheWriteHour });

describe('the cache of a run', () => {
  test.each([
    ['five minutes', 0, 5 * MINUTE],
    ['five minutes where only a part is kept for longer', 4, 5 * MINUTE],
    ['an hour', 9, 60 * MINUTE],
  ])('is kept for %s', (_, hour, lifeMs) => {
    const usedAt = 6_000;
    expect(findRunCache([run('main', wrote(hour))])).toEqual({ usedAt, lifeMs });
  });

  test('is that of the latest step of the agent itself that reports one', () => {
    const reads = runStep(9_000, { input: 9, cacheRead: 9, cacheWrite: 0 });
    const failed = runStep(10_000, {});
    const ofAgent = run('agent', runStep(20_000, { cacheRead: 9 }));
    expect(findRunCache([run('main', wrote(0), reads, failed), ofAgent])?.usedAt).toBe(10_000);
    expect(findRunCache([ofAgent])).toBeNull();
    expect(findRunCache([run('main', runStep(0, { cacheRead: 0, cacheWrite: 0 }))])).toBeNull();
  });
});
