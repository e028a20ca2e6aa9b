import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchSender } from './request-body.ts';

const LIMIT = 30_000;

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

function watched() {
  const sender = { complete: false, paused: false, socket: { bytesRead: 0 } };
  const onIdle = vi.fn<() => void>();
  watchSender({ ...sender, isPaused: () => sender.paused, socket: sender.socket }, LIMIT, onIdle);
  return { sender, onIdle };
}

test.each([0, 1, 4_000, 15_500, 29_999])(
  'a sender that stops sending after %i ms gets 30 seconds, and not 31',
  (lastByteAt) => {
    const { sender, onIdle } = watched();
    vi.advanceTimersByTime(lastByteAt);
    sender.socket.bytesRead += 1;
    vi.advanceTimersByTime(LIMIT - 1);
    expect(onIdle).not.toHaveBeenCalled();
    vi.advanceTimersByTime(1_001);
    expect(onIdle).toHaveBeenCalledOnce();
  },
);

test('a sender whose body is not being read has no time limit, and its full time afterwards', () => {
  const { sender, onIdle } = watched();
  sender.paused = true;
  vi.advanceTimersByTime(10 * LIMIT);
  sender.paused = false;
  vi.advanceTimersByTime(LIMIT - 1_000);
  expect(onIdle).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1_000);
  expect(onIdle).toHaveBeenCalledOnce();
});

test('a slow sender that keeps sending has no time limit', () => {
  const { sender, onIdle } = watched();
  for (let pauses = 0; pauses < 20; pauses += 1) {
    vi.advanceTimersByTime(LIMIT - 1);
    sender.socket.bytesRead += 1;
  }
  expect(onIdle).not.toHaveBeenCalled();
});
