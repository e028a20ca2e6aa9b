import { MutationObserver, QueryObserver } from '@tanstack/react-query';
import { afterEach, expect, test, vi } from 'vitest';
import { toCalls } from './client.ts';
import { createInvalidator, createQueryClient } from './query-invalidation.ts';
import { createHttpClient } from './http-transport.ts';

afterEach(() => {
  vi.useRealTimers();
});

test('a key that was sent or made is forgotten soon after its dialog', async () => {
  vi.useFakeTimers();
  const queries = createQueryClient();
  const change = new MutationObserver(queries, { mutationFn: async (key: string) => key });
  const leave = change.subscribe(() => undefined);
  await change.mutate('a key');
  const calls = queries.getMutationCache();
  expect(calls.getAll()).toHaveLength(1);
  leave();
  vi.advanceTimersByTime(1_000);
  expect(calls.getAll()).toEqual([]);
});

const PERIOD = { since: '2026-11-01', until: '2026-11-02' };
const calls = toCalls(createHttpClient('http://127.0.0.1', 'token'));

test.each([
  ['the alarms of Home', calls.home.attention.queryKey()],
  ['the sums of Clients', calls.clients.list.queryKey()],
  ['the sums of Usage', calls.usage.overview.queryKey({ input: PERIOD })],
  ['the groups of Usage', calls.usage.groups.queryKey({ input: { ...PERIOD, by: 'model' } })],
])('another service makes %s stale', (_, queryKey) => {
  const queries = createQueryClient();
  queries.setQueryData(queryKey, []);
  createInvalidator(queries, calls)({ kind: 'changed', topic: 'upstreams' });
  expect(queries.getQueryState(queryKey)?.isInvalidated).toBe(true);
});

test.each(['chat', 'prices', 'aliases', 'upstreams'] as const)(
  'a change of %s makes the estimated cost of a message stale',
  (topic) => {
    const queries = createQueryClient();
    const input = { id: null, models: ['m'], bytes: 1, images: 0, maxTokens: null };
    const queryKey = calls.chat.estimate.queryKey({ input });
    queries.setQueryData(queryKey, { amount: 1 });
    createInvalidator(queries, calls)({ kind: 'changed', topic });
    expect(queries.getQueryState(queryKey)?.isInvalidated).toBe(true);
  },
);

test.each([
  { kind: 'changed', topic: 'clients' },
  { kind: 'hello', engine: 'e' },
] as const)(
  'what is asked for the first time while $kind is told is asked for anew',
  async (event) => {
    const queries = createQueryClient();
    const answers: ((names: string[]) => void)[] = [];
    const queryKey = calls.clients.list.queryKey();
    const observer = new QueryObserver<unknown>(queries, {
      queryKey,
      queryFn: () => new Promise<string[]>((resolve) => answers.push(resolve)),
    });
    const { promise: shown, resolve: show } = Promise.withResolvers<unknown>();
    const leave = observer.subscribe(({ data }) => data !== undefined && show(data));
    createInvalidator(queries, calls)(event);
    expect(answers).toHaveLength(2);
    answers[0]?.(['before']);
    answers[1]?.(['before', 'after']);
    expect(await shown).toEqual(['before', 'after']);
    expect(queries.getQueryData(queryKey)).toEqual(['before', 'after']);
    leave();
  },
);
