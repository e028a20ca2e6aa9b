import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SerialRefresher } from './serial-refresher.ts';

const TASK_MS = 40;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createCounter() {
  const seen = { started: 0, running: 0, mostAtOnce: 0 };
  const refresher = new SerialRefresher(async () => {
    seen.started += 1;
    seen.running += 1;
    seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.running);
    await new Promise((resolve) => setTimeout(resolve, TASK_MS));
    seen.running -= 1;
  }, 500);
  return { seen, refresher };
}

describe('repeated refreshes', () => {
  test('a thousand calls in a second lead to two runs, never two at a time', async () => {
    const { seen, refresher } = createCounter();
    for (let call = 0; call < 1_000; call += 1) {
      refresher.request();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(seen).toMatchObject({ started: 2, mostAtOnce: 1 });
  });

  test('a request during a run leads to one more run', async () => {
    const { seen, refresher } = createCounter();
    refresher.request();
    await vi.advanceTimersByTimeAsync(TASK_MS / 2);
    refresher.request();
    await vi.runAllTimersAsync();
    expect(seen.started).toBe(2);
  });

  test('nothing starts after the end', async () => {
    const { seen, refresher } = createCounter();
    refresher.request();
    refresher.request();
    refresher.close();
    refresher.request();
    await vi.runAllTimersAsync();
    expect(seen.started).toBe(1);
  });
});
