import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { FairQueue, type Waiting } from './fair-queue.ts';

const STEP = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('flood', 'flood', 'b', 'c', 'd') },
  { weight: 2, arbitrary: fc.constant(null) },
);

function expectFair(steps: readonly (string | null)[]): void {
  const queue = new FairQueue<Waiting>();
  /** For each waiting client: the clients served since it came, or since it was last served itself. */
  const servedSince = new Map<string, Set<string>>();
  for (const client of steps) {
    if (client !== null) {
      queue.add({ client });
      if (!servedSince.has(client)) servedSince.set(client, new Set());
      continue;
    }
    const served = queue.next()?.client;
    if (served === undefined) continue;
    const stillWaits = [...queue.entries].some((entry) => entry.client === served);
    servedSince.delete(served);
    for (const others of servedSince.values()) {
      expect(others).not.toContain(served);
      others.add(served);
    }
    if (stillWaits) servedSince.set(served, new Set());
  }
}

test('while a client waits, each other client is served at most once', () => {
  fc.assert(fc.property(fc.array(STEP, { maxLength: 200 }), expectFair), { numRuns: 500 });
});

test('the entries of one client keep their order, and a removed one does not come again', () => {
  const queue = new FairQueue<Waiting & { readonly n: number }>();
  const entries = [1, 2, 3, 4].map((n) => ({ client: 'a', n }));
  for (const entry of entries) queue.add(entry);
  const [first, second] = entries;
  if (second !== undefined) expect(queue.remove(second)).toBe(true);
  if (second !== undefined) expect(queue.remove(second)).toBe(false);
  expect(queue.oldest).toBe(first);
  expect([queue.next(), queue.next(), queue.next(), queue.next()].map((entry) => entry?.n)).toEqual(
    [1, 3, 4, undefined],
  );
  expect(queue.size).toBe(0);
});
