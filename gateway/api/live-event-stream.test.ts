import { expect, test } from 'vitest';
import type { LiveEvent } from '../../shared/status.ts';
import { streamLiveEvents } from './live-event-stream.ts';

/** Creates a source that emits events to its listeners. */
function openSource() {
  const listeners = new Set<(event: LiveEvent) => void>();
  return {
    engine: 'e1',
    running: () => ({ exchanges: [], total: 2 }),
    listeners,
    on: (listener: (event: LiveEvent) => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    emit: (...events: readonly LiveEvent[]) => {
      for (const event of events) listeners.forEach((listener) => listener(event));
    },
  };
}

const running = (total: number): LiveEvent => ({ kind: 'running', exchanges: [], total });

test('the stream starts with hello, then sends running exchanges, and misses no later event', async () => {
  const source = openSource();
  const events = streamLiveEvents(source, undefined);
  expect((await events.next()).value).toEqual({ kind: 'hello', engine: 'e1' });
  expect((await events.next()).value).toEqual(running(2));
  source.emit({ kind: 'history', written: 1 });
  expect((await events.next()).value).toEqual({ kind: 'history', written: 1 });
  const next = events.next();
  source.emit({ kind: 'changed', topic: 'clients' });
  expect((await next).value).toEqual({ kind: 'changed', topic: 'clients' });
});

test('a slow window gets one merged event of each kind', async () => {
  const source = openSource();
  const events = streamLiveEvents(source, undefined);
  await events.next();
  await events.next();
  for (let i = 1; i <= 1_000; i += 1) {
    source.emit({ kind: 'history', written: 1 }, running(i), { kind: 'changed', topic: 'status' });
  }
  source.emit({ kind: 'changed', topic: 'models' });
  const received = [
    await events.next(),
    await events.next(),
    await events.next(),
    await events.next(),
  ];
  expect(received.map(({ value }) => value)).toEqual([
    { kind: 'history', written: 1_000 },
    running(1_000),
    { kind: 'changed', topic: 'status' },
    { kind: 'changed', topic: 'models' },
  ]);
});

test('what waits is read after the requests in progress, also when an earlier change of it is unread', async () => {
  const source = openSource();
  const events = streamLiveEvents(source, undefined);
  await events.next();
  await events.next();
  const holds: LiveEvent = { kind: 'changed', topic: 'holds' };
  source.emit(holds, running(1), holds);
  expect([(await events.next()).value, (await events.next()).value]).toEqual([running(1), holds]);
});

test('the signal ends the stream, waiting or not, and removes its listener', async () => {
  const source = openSource();
  const waiting = new AbortController();
  const events = streamLiveEvents(source, waiting.signal);
  await events.next();
  await events.next();
  expect(source.listeners.size).toBe(1);
  const next = events.next();
  waiting.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  const idle = new AbortController();
  const others = streamLiveEvents(source, idle.signal);
  await others.next();
  source.emit(running(1));
  idle.abort();
  expect((await others.next()).done).toBe(true);
  expect(source.listeners.size).toBe(0);
});

test('a window that stops reading is removed from the listeners', async () => {
  const source = openSource();
  const events = streamLiveEvents(source, undefined);
  for await (const event of events) {
    expect(event.kind).toBe('hello');
    break;
  }
  expect(source.listeners.size).toBe(0);
});
