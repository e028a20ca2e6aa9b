import { expect, test } from 'vitest';
import { describeCircuit, listHindrances } from './status.ts';

const LOAD = {
  inFlight: 0,
  waiting: 0,
  limit: null,
  heldMs: 0,
  retryMs: 0,
  calls: 0,
  throttled: 0,
  retries: 0,
  refused: 0,
};

test.each([
  ['closed', 'requests are sent as they arrive'],
  [
    'open',
    'Gatehouse asks the service again in 4.0 s; until then requests are refused, because several connections',
  ],
  ['half-open', 'one request is asking the service again'],
] as const)('a circuit that is %s is told in plain words', (circuit, words) => {
  expect(describeCircuit({ load: { ...LOAD, circuit, retryMs: 4_000 } })).toContain(words);
});

test('a Gatehouse is ready while it can send requests on, also before the first one', () => {
  const key = { name: 'keychain', sentence: '' } as const;
  const reach = { state: 'unknown', sentence: '', at: null } as const;
  const ready = { paused: false, key, reach, keyRefusedAt: null };
  expect(listHindrances(ready, 'gatehouse')).toEqual([]);
  expect(listHindrances({ ...ready, keyRefusedAt: 1 }, 'gatehouse')).toEqual([
    'The service refuses the service key. To set another: gatehouse key set',
  ]);
  const doubtful = { state: 'doubtful', sentence: 'It answered with a page.', at: 1 } as const;
  expect(listHindrances({ ...ready, reach: doubtful }, 'gatehouse')).toEqual([
    'This may not be the service: It answered with a page.',
  ]);
  const locked = { ...key, name: 'locked' } as const;
  expect(listHindrances({ ...ready, key: locked }, 'gatehouse')).toEqual([
    'There is no usable service key: requests are refused.',
  ]);
});
