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
  const state = {
    released: 0,
    isBusy: false,
    exchangesEnded: (_count: number) => undefined as void,
  };
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
      release: () => (state.released += 1),
    },
  );
  return { state, stop };
}

test('memory is released once after the start, and nothing runs after that', () => {
  const { state } = start();
  vi.advanceTimersByTime(START_MS);
  expect(state.released).toBe(1);
  expect(vi.getTimerCount()).toBe(0);
});

test('memory is released once after a load, and not while exchanges end or run', () => {
  const { state } = start();
  vi.advanceTimersByTime(START_MS);
  for (let times = 0; times < 10; times += 1) {
    state.exchangesEnded(50);
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

test('a few status checks keep no memory from being released', () => {
  const { state } = start();
  vi.advanceTimersByTime(START_MS);
  state.exchangesEnded(50);
  vi.advanceTimersByTime(QUIET_MS);
  for (let times = 0; times < 4; times += 1) {
    state.exchangesEnded(1);
    vi.advanceTimersByTime(QUIET_MS / 4);
  }
  expect(state.released).toBe(2);
});

test('garbage is collected only when memory has grown', async () => {
  vi.useRealTimers();
  releaseMemory();
  const garbage = new WeakRef({});
  // A target is kept until the end of the job that made it or read it.
  await new Promise(setImmediate);
  releaseMemory();
  expect(garbage.deref()).toBeDefined();
  await new Promise(setImmediate);
  const grown = Buffer.alloc(64 * 1024 * 1024);
  releaseMemory();
  expect(garbage.deref()).toBeUndefined();
  expect(grown).toHaveLength(64 * 1024 * 1024);
});
