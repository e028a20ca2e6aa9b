import { expect, test } from 'vitest';
import { RunningExchange } from '../history/history.ts';
import { matchesFilter } from './matches-filter.ts';

function exchange(id: string, change: object = {}): RunningExchange {
  return RunningExchange.parse({
    id,
    startedAt: 0,
    service: 'sandbox',
    clientName: 'Cline',
    route: 'chat',
    method: 'POST',
    pathReceived: '/v1/chat/completions',
    modelSent: 'a/b',
    streamed: true,
    status: null,
    stage: 'waiting',
    ownRun: null,
    ...change,
  });
}

test('a filter that asks how it ended lets none through', () => {
  expect(matchesFilter(exchange('a'), { failed: false })).toBe(false);
  expect(matchesFilter(exchange('a'), { duration: { from: 0 } })).toBe(false);
  expect(matchesFilter(exchange('a'), { cost: { to: 0 } })).toBe(false);
  expect(matchesFilter(exchange('a'), { not: { clients: ['Zed'] } })).toBe(false);
  expect(matchesFilter(exchange('a'), { repaired: false })).toBe(false);
  expect(matchesFilter(exchange('a'), { tools: ['*'] })).toBe(false);
  expect(matchesFilter(exchange('a'), { clients: ['Cline'], models: ['a/b'], since: 0 })).toBe(
    true,
  );
  expect(matchesFilter(exchange('a'), { clients: ['Zed'] })).toBe(false);
  expect(matchesFilter(exchange('a'), { clients: ['cl*'], known: true })).toBe(true);
  expect(matchesFilter(exchange('a'), { known: false })).toBe(false);
  expect(matchesFilter(exchange('a', { modelSent: null }), { models: ['a/b'] })).toBe(false);
});
