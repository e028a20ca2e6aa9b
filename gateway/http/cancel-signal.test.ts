import { describe, expect, test } from 'vitest';
import { CancelSource, toAbortSignal, type CancelSignal } from './cancel-signal.ts';

const REASON = new Error('left');

/** Both kinds of signal, each with what aborts it. */
const KINDS: readonly [string, () => { signal: CancelSignal; abort: () => void }][] = [
  [
    'AbortSignal',
    () => {
      const controller = new AbortController();
      return { signal: controller.signal, abort: () => controller.abort(REASON) };
    },
  ],
  [
    'CancelSource',
    () => {
      const source = new CancelSource();
      return { signal: source, abort: () => source.abort(REASON) };
    },
  ],
];

describe.each(KINDS)('a signal of the kind %s', (_kind, open) => {
  test('calls each listener once, and has its reason then', () => {
    const { signal, abort } = open();
    const calls: string[] = [];
    const first = (): void => void calls.push(`first, aborted: ${signal.aborted}`);
    const removed = (): void => void calls.push('removed');
    signal.addEventListener('abort', first);
    signal.addEventListener('abort', first);
    signal.addEventListener('abort', removed);
    signal.removeEventListener('abort', removed);
    expect(signal.aborted).toBe(false);
    expect(() => signal.throwIfAborted()).not.toThrow();
    abort();
    abort();
    expect(calls).toEqual(['first, aborted: true']);
    expect(signal.reason).toBe(REASON);
    expect(() => signal.throwIfAborted()).toThrow(REASON);
  });

  test('calls no listener that is added after it was aborted', () => {
    const { signal, abort } = open();
    abort();
    signal.addEventListener('abort', () => expect.unreachable());
    abort();
  });

  test('aborts an AbortSignal that was made of it', () => {
    const { signal, abort } = open();
    const before = toAbortSignal(signal);
    abort();
    for (const real of [before, toAbortSignal(signal)]) {
      expect(real).toBeInstanceOf(AbortSignal);
      expect(real.reason).toBe(REASON);
    }
  });
});
