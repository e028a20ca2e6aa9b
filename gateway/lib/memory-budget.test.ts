import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { GrowingBuffer } from './growing-buffer.ts';
import { MemoryBudget, bodyMemoryBudget } from './memory-budget.ts';

test('the memory budget is balanced after any order of reservations and releases', () => {
  const owner = fc.constantFrom('a', 'b', 'c');
  const step = fc.record({
    at: fc.nat(9),
    does: fc.constantFrom('grow', 'tryGrow', 'shrink', 'prepay', 'release' as const),
    bytes: fc.nat(80),
  });
  fc.assert(
    fc.property(
      fc.array(owner, { minLength: 10, maxLength: 10 }),
      fc.array(step),
      (owners, steps) => {
        const budget = new MemoryBudget(200);
        const open = owners.map((name) => {
          const reservation = budget.open();
          reservation.assign(name);
          return reservation;
        });
        for (const { at, does, bytes } of steps) {
          const reservation = open[at];
          try {
            reservation?.[does](bytes);
          } catch (error) {
            expect(error).toMatchObject({ code: 'memory_full' });
          }
          expect(budget.held).toBeGreaterThanOrEqual(0);
          expect(budget.held).toBeLessThanOrEqual(200);
        }
        for (const reservation of open) {
          reservation.release();
          expect(reservation.tryGrow(1)).toBe(false);
        }
        expect(budget.held).toBe(0);
        const whole = budget.open();
        whole.assign('a');
        expect(whole.tryGrow(100)).toBe(true);
      },
    ),
  );
});

test('one client may hold half of the memory budget, and others the rest', () => {
  const budget = new MemoryBudget(100);
  const [one, other, third] = ['a', 'b', 'c'].map((name) => {
    const reservation = budget.open();
    reservation.assign(name);
    return reservation;
  });
  expect([one?.tryGrow(51), one?.tryGrow(50), other?.tryGrow(50), third?.tryGrow(1)]).toEqual([
    false,
    true,
    true,
    false,
  ]);
  other?.release();
  expect(third?.tryGrow(50)).toBe(true);
});

test('prepaid memory is available regardless of other reservations', () => {
  const budget = new MemoryBudget(100);
  const one = budget.open();
  const room = one.prepay(30);
  expect(one.tryGrow(20)).toBe(true);
  expect([room.tryGrow(10), room.tryGrow(20), room.tryGrow(1)]).toEqual([true, true, false]);
});

test('a growing buffer keeps its chunks in order and counts all of its memory', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 40_000 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, (list) => {
      const budget = new MemoryBudget(4_000_000);
      const memory = budget.open();
      const held = new GrowingBuffer({ memory, maxBytes: 1_000_000 });
      for (const piece of list) expect(held.tryPush(piece)).toBe(true);
      const all = Buffer.concat(list);
      expect(held.bytes.equals(all)).toBe(true);
      expect(held.length).toBe(all.length);
      expect(budget.held).toBeGreaterThanOrEqual(all.length);
      expect(budget.held).toBeLessThanOrEqual(Math.max(2 * all.length, 16_384));
    }),
  );
});

test('a chunk that exceeds the budget leaves the growing buffer unchanged', () => {
  const budget = new MemoryBudget(200_000);
  const memory = budget.open();
  const held = new GrowingBuffer({ memory, maxBytes: 1_000_000 });
  expect(held.tryPush(Buffer.alloc(60_000, 1))).toBe(true);
  expect(held.tryPush(Buffer.alloc(60_000, 2))).toBe(false);
  expect(held.bytes.equals(Buffer.alloc(60_000, 1))).toBe(true);
  memory.release();
  expect(budget.held).toBe(0);
});

test('the memory budget has at least 256 MiB', () => {
  expect(bodyMemoryBudget()).toBeGreaterThanOrEqual(256 * 1024 * 1024);
});
