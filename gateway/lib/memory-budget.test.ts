import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { ChunkCollector } from './chunk-collector.ts';
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

test('collected chunks are the bytes that came, and take no more than four times their size', () => {
  const piece = fc.nat(90_000).map((length) => Buffer.alloc(length, length % 251));
  const pieces = fc.array(piece, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.boolean(), (list, isAnnounced) => {
      const all = Buffer.concat(list);
      const budget = new MemoryBudget(4_000_000);
      const announced = isAnnounced ? all.length : null;
      const held = new ChunkCollector({ memory: budget.open(), announced });
      for (const bytes of list) {
        expect(held.tryPush(bytes)).toBe(true);
        expect(budget.held).toBeLessThanOrEqual(Math.max(4 * held.length, 16_384));
        expect(budget.held).toBeGreaterThanOrEqual(held.length);
      }
      expect(held.length).toBe(all.length);
      const taken = held.take();
      expect(Buffer.concat(taken.chunks).equals(all)).toBe(true);
      const middle = all.length / 2;
      expect(
        taken
          .slice(middle - 9, middle + 9)
          .equals(all.subarray(Math.max(0, middle - 9), middle + 9)),
      ).toBe(true);
    }),
  );
});

test('a part of a large buffer is copied, and a chunk without space changes nothing', () => {
  const budget = new MemoryBudget(200_000);
  const held = new ChunkCollector({ memory: budget.open(), announced: null });
  expect(held.tryPush(Buffer.alloc(1_000_000).subarray(0, 20_000))).toBe(true);
  expect(budget.held).toBe(20_000);
  expect(held.tryPush(Buffer.alloc(100_000))).toBe(false);
  expect(budget.held).toBe(20_000);
  expect(held.take().length).toBe(20_000);
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
