import { MutationObserver } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { callsOf } from './client.ts';
import { freshener, openQueries } from './freshness.ts';
import { overHttp } from './over-http.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a key that was sent or made is forgotten soon after its dialog', async () => {
  vi.useFakeTimers();
  const queries = openQueries();
  const change = new MutationObserver(queries, { mutationFn: async (key: string) => key });
  const leave = change.subscribe(() => undefined);
  await change.mutate('a key');
  const calls = queries.getMutationCache();
  expect(calls.getAll()).toHaveLength(1);
  leave();
  vi.advanceTimersByTime(1_000);
  expect(calls.getAll()).toEqual([]);
});

test('a change of keys and services makes stale what Home says about them', () => {
  const queries = openQueries();
  const calls = callsOf(overHttp('http://127.0.0.1', 'token'));
  const queryKey = calls.home.attention.queryKey();
  queries.setQueryData(queryKey, []);
  freshener(queries, calls)({ kind: 'changed', what: 'upstreams' });
  expect(queries.getQueryState(queryKey)?.isInvalidated).toBe(true);
});
