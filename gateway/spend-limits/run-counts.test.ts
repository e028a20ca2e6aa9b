import { expect, test } from 'vitest';
import { ClientId } from '../../shared/client.ts';
import { RunId } from '../../shared/exchange/exchange.ts';
import { type Limit, LimitId } from '../../shared/money/limit.ts';
import { RunCounts, type RunRequest } from './run-counts.ts';

const ONE = { money: 5, tokens: 7, requests: 1 };
const NONE = { money: 0, tokens: 0, requests: 0 };
const MINUTE_MS = 60_000;

let now = 0;
const later = (ms: number) => (now += ms);

interface Fields extends Partial<Omit<RunRequest, 'run'>> {
  readonly run?: string | null;
}

function aRequest({ run = 'run-1', ...fields }: Fields = {}): RunRequest {
  const id = run === null ? null : RunId.parse(run);
  return { scope: 'services', clientId: 'c', run: id, subagent: null, ...fields };
}

const LIMIT: Limit = {
  id: LimitId.parse('limit-1'),
  clientId: null,
  measure: 'requests',
  amount: 10,
  period: 'run',
  rolling: false,
  createdAt: 0,
  suspended: null,
  allowedOnceAt: null,
};

test('each run counts by itself, at services and at the sandbox', () => {
  const counts = new RunCounts(() => now);
  counts.addEarlier(aRequest(), ONE, 3 * 60 * MINUTE_MS);
  counts.begin(aRequest(), ONE).end({ money: 1, tokens: -2, requests: 0 });
  counts.begin(aRequest({ run: 'run-2' }), ONE);
  counts.begin(aRequest({ scope: 'sandbox' }), ONE);
  const used = (measure: 'money' | 'tokens' | 'requests' | 'concurrent', fields: Fields = {}) =>
    counts.used(measure, aRequest(fields));
  expect([used('money'), used('tokens'), used('requests'), used('concurrent')]).toEqual([
    11, 12, 2, 0,
  ]);
  expect([used('requests', { run: 'run-2' }), used('concurrent', { run: 'run-2' })]).toEqual([
    1, 1,
  ]);
  expect(used('requests', { scope: 'sandbox' })).toBe(1);
  expect(used('requests', { run: 'run-3' })).toBe(0);
  // A run goes on whenever it likes.
  later(1_000 * MINUTE_MS);
  expect(used('requests')).toBe(2);
});

test('of a client that names no session all requests are one run, until it rests', () => {
  const counts = new RunCounts(() => now);
  const unnamed = aRequest({ run: null });
  for (let count = 1; count <= 5; count += 1) {
    counts.begin(unnamed, ONE).end(NONE);
    expect(counts.used('requests', unnamed)).toBe(count);
    later(20 * MINUTE_MS);
  }
  later(20 * MINUTE_MS);
  expect(counts.used('requests', unnamed)).toBe(0);
  const request = counts.begin(unnamed, ONE);
  expect(counts.used('requests', unnamed)).toBe(1);
  // An answer that takes long is no rest.
  later(100 * MINUTE_MS);
  expect(counts.used('requests', unnamed)).toBe(1);
  request.end(NONE);
  expect(counts.used('requests', aRequest({ run: null, clientId: 'd' }))).toBe(0);
});

test('sub-agents are at work while they ask, and a minute more for their tools', () => {
  const counts = new RunCounts(() => now);
  const others = (subagent: string) => counts.used('agents', aRequest({ subagent }));
  const requests = ['a', 'b', 'b'].map((subagent) => counts.begin(aRequest({ subagent }), ONE));
  counts.begin(aRequest(), ONE);
  counts.begin(aRequest({ run: 'run-2', subagent: 'c' }), ONE);
  // One that is at work already needs no place.
  expect([others('a'), others('c')]).toEqual([0, 2]);
  for (const request of requests.slice(0, 2)) request.end(NONE);
  later(2 * MINUTE_MS);
  expect(others('c')).toBe(1);
  requests[2]?.end(NONE);
  later(MINUTE_MS - 1);
  expect(others('c')).toBe(1);
  later(2);
  expect(others('c')).toBe(0);
});

test('the run is told that has used most lately, before it one that was refused', () => {
  const counts = new RunCounts(() => now);
  const most = (refused: string | null = '', limit = LIMIT) =>
    counts.findMost(limit, 'services', (run) => run === refused);
  expect(most()).toBeNull();
  for (const run of ['run-1', 'run-2', 'run-2', 'run-3'])
    counts.begin(aRequest({ run }), ONE).end(NONE);
  expect(most()).toEqual({ run: 'run-2', used: 2, isRefused: false });
  expect(most('run-3')).toEqual({ run: 'run-3', used: 1, isRefused: true });
  const other = { ...LIMIT, clientId: ClientId.parse('d') };
  expect(most('', other)).toBeNull();
  counts.begin(aRequest({ run: 'run-4', clientId: 'd' }), ONE).end(NONE);
  expect(most('', other)).toEqual({ run: 'run-4', used: 1, isRefused: false });
  // What an earlier process did long ago is no alarm now.
  for (let time = 0; time < 5; time += 1)
    counts.addEarlier(aRequest({ run: 'run-5' }), ONE, 61 * MINUTE_MS);
  expect(most()?.run).toBe('run-2');
  counts.begin(aRequest({ run: 'run-5' }), ONE).end(NONE);
  expect(most()).toMatchObject({ run: 'run-5', used: 6 });
  later(61 * MINUTE_MS);
  expect(most()).toBeNull();
  counts.begin(aRequest({ run: null }), ONE).end(NONE);
  later(29 * MINUTE_MS);
  expect(most()).toMatchObject({ run: null, used: 1 });
  later(MINUTE_MS);
  expect(most()).toBeNull();
});

test('sub-agents that are not at work do not stay in memory', () => {
  const counts = new RunCounts(() => now);
  for (let agent = 0; agent < 1_000; agent += 1) {
    counts.begin(aRequest({ subagent: `agent-${agent}` }), ONE).end(NONE);
    later(2 * MINUTE_MS);
  }
  counts.begin(aRequest({ subagent: 'last' }), ONE);
  expect(counts.used('agents', aRequest({ subagent: 'new' }))).toBe(1);
});

test('the runs that rest longest are forgotten, and none with a request in flight', () => {
  const counts = new RunCounts(() => now);
  counts.begin(aRequest({ run: 'long' }), ONE);
  counts.begin(aRequest({ run: 'old' }), ONE).end(NONE);
  for (let run = 0; run < 5_000; run += 1)
    counts.begin(aRequest({ run: `run-${run}` }), ONE).end(NONE);
  expect(counts.used('requests', aRequest({ run: 'long' }))).toBe(1);
  expect(counts.used('requests', aRequest({ run: 'old' }))).toBe(0);
  expect(counts.used('requests', aRequest({ run: 'run-4999' }))).toBe(1);
});
