import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SerialRefresher } from './serial-refresher.ts';

const TASK_MS = 40;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function counting() {
  const seen = { begun: 0, running: 0, mostAtOnce: 0 };
  const refresher = new SerialRefresher(async () => {
    seen.begun += 1;
    seen.running += 1;
    seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.running);
    await new Promise((resolve) => setTimeout(resolve, TASK_MS));
    seen.running -= 1;
  }, 500);
  return { seen, steady: refresher };
}

describe('what is done steadily', () => {
  test('a thousand calls in a second lead to two turns, never two at a time', async () => {
    const { seen, steady } = counting();
    for (let call = 0; call < 1_000; call += 1) {
      steady.request();
      await vi.advanceTimersByTimeAsync(1);
    }
    expect(seen).toMatchObject({ begun: 2, mostAtOnce: 1 });
  });

  test('who asks while it is done is served by one more turn', async () => {
    const { seen, steady } = counting();
    steady.request();
    await vi.advanceTimersByTimeAsync(TASK_MS / 2);
    steady.request();
    await vi.runAllTimersAsync();
    expect(seen.begun).toBe(2);
  });

  test('nothing is begun after the end', async () => {
    const { seen, steady } = counting();
    steady.request();
    steady.request();
    steady.close();
    steady.request();
    await vi.runAllTimersAsync();
    expect(seen.begun).toBe(1);
  });
});
