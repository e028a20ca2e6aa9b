import { EventEmitter, once } from 'node:events';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { onceReadyToShow } from './ready-to-show.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A window that tells what a test says. */
function coming() {
  const window = new EventEmitter();
  const loading = Promise.withResolvers<void>();
  let shown = 0;
  // Only the events of a window are listened to.
  Reflect.apply(onceReadyToShow, null, [window, loading.promise, () => (shown += 1)]);
  return { window, loading, shown: () => shown };
}

test('a window is shown once, however many reasons come and in which order', async () => {
  const { window, loading, shown } = coming();
  vi.advanceTimersByTime(1_999);
  expect(shown()).toBe(0);
  window.emit('ready-to-show');
  loading.resolve();
  await loading.promise;
  vi.advanceTimersByTime(60_000);
  window.emit('ready-to-show');
  expect(shown()).toBe(1);
});

test('a window whose page never reports that it is ready is shown after two seconds', () => {
  const { window, shown } = coming();
  vi.advanceTimersByTime(2_000);
  expect(shown()).toBe(1);
  window.emit('ready-to-show');
  expect(shown()).toBe(1);
});

test('a window whose page cannot be loaded is shown at once', async () => {
  const { loading, shown } = coming();
  loading.reject(new Error('ERR_FAILED'));
  await loading.promise.catch(() => undefined);
  expect(shown()).toBe(1);
});

test.skipIf(process.platform !== 'linux')('on Linux its page need only have loaded', async () => {
  const { loading, shown } = coming();
  loading.resolve();
  await loading.promise;
  expect(shown()).toBe(1);
});

test('a window that is closed before is never touched again', async () => {
  const { window, loading, shown } = coming();
  const closed = once(window, 'closed');
  window.emit('closed');
  await closed;
  loading.resolve();
  await loading.promise;
  window.emit('ready-to-show');
  vi.advanceTimersByTime(60_000);
  expect(shown()).toBe(0);
  expect(vi.getTimerCount(), 'nothing is left waiting').toBe(0);
});
