import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { detachFromClient } from './detach-from-client.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const MINUTE_MS = 60_000;

test('an order continues for ten minutes after its client has disconnected', () => {
  const client = new AbortController();
  using detached = detachFromClient(client.signal, new AbortController().signal);
  vi.advanceTimersByTime(60 * MINUTE_MS);
  client.abort();
  vi.advanceTimersByTime(9 * MINUTE_MS);
  expect(detached.signal.aborted).toBe(false);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(detached.signal.aborted).toBe(true);
});

test('an order ends with the gateway', () => {
  const cutting = new AbortController();
  using detached = detachFromClient(new AbortController().signal, cutting.signal);
  cutting.abort();
  expect(detached.signal.aborted).toBe(true);
});

test('an order that has its response is no longer ended', () => {
  const client = new AbortController();
  const cutting = new AbortController();
  const detached = detachFromClient(client.signal, cutting.signal);
  client.abort();
  detached[Symbol.dispose]();
  cutting.abort();
  vi.advanceTimersByTime(60 * MINUTE_MS);
  expect(detached.signal.aborted).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});
