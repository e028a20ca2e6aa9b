import { getHeapSpaceStatistics } from 'node:v8';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { releaseMemory, releaseMemoryWhenQuiet } from './memory-release.ts';

const START_MS = 100;
const QUIET_MS = 1_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function start() {
  const state = { held: 0, released: 0, isBusy: false, exchangesEnded: () => undefined as void };
  const stop = releaseMemoryWhenQuiet(
    {
      onExchanges: (listener) => {
        state.exchangesEnded = listener;
        return () => undefined;
      },
      isBusy: () => state.isBusy,
    },
    {
      startMs: START_MS,
      quietMs: QUIET_MS,
      hold: () => (state.held += 1),
      release: () => (state.released += 1),
    },
  );
  return { state, stop };
}

test('memory is released once after the start, and nothing runs after that', () => {
  const { state } = start();
  vi.advanceTimersByTime(START_MS);
  expect([state.held, state.released]).toEqual([0, 1]);
  expect(vi.getTimerCount()).toBe(0);
});

test('memory is released once after a load, and not while exchanges end or run', () => {
  const { state } = start();
  vi.advanceTimersByTime(START_MS);
  for (let times = 0; times < 10; times += 1) {
    state.exchangesEnded();
    expect(state.held).toBeGreaterThan(0);
    vi.advanceTimersByTime(QUIET_MS / 2);
  }
  expect(state.released).toBe(1);
  state.isBusy = true;
  vi.advanceTimersByTime(10 * QUIET_MS);
  expect(state.released).toBe(1);
  state.isBusy = false;
  vi.advanceTimersByTime(2 * QUIET_MS);
  expect(state.released).toBe(2);
  expect(vi.getTimerCount()).toBe(0);
});

test('nothing is released after the end', () => {
  const { state, stop } = start();
  stop();
  vi.advanceTimersByTime(10 * QUIET_MS);
  expect(state.released).toBe(0);
});

test('garbage is collected', () => {
  const before = Array.from({ length: 20_000 }, (_, index) => ({ index })).length;
  expect(before).toBe(20_000);
  releaseMemory();
  const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
  expect(young?.space_used_size).toBeLessThan(200_000);
});
