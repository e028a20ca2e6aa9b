import { expect, test } from 'vitest';
import { describeCircuit } from './status.ts';

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
