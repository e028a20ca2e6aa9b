import { createParser } from 'eventsource-parser';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Heartbeat, findPosition } from './relay.ts';

function position(text: string) {
  return findPosition(Buffer.from(text));
}

function eventsIn(stream: string): string[] {
  const events: string[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => events.push(JSON.stringify([event, data])),
  });
  parser.feed(stream);
  return events;
}

describe('The position in an event stream', () => {
  test.each([
    ['', 'between-events'],
    ['\n', 'between-events'],
    ['\r\n', 'between-events'],
    ['data: a', 'in-line'],
    ['data: a\r', 'in-line'],
    ['data: a\n', 'between-lines'],
    ['data: a\r\n', 'between-lines'],
    ['data: a\n\n', 'between-events'],
    ['data: a\r\n\r\n', 'between-events'],
    ['data: a\n\r\n', 'between-events'],
    ['data: a\r\n\n', 'between-events'],
    ['a\n\nb\n', 'between-lines'],
  ])('after %j is %s', (text, expected) => {
    expect(position(text)).toBe(expected);
  });

  test('is equal for the last four bytes and for all', () => {
    const text = fc.string({ unit: fc.constantFrom('a', '\r', '\n', ':'), maxLength: 12 });
    fc.assert(
      fc.property(text, (stream) => {
        fc.pre(stream.length >= 4);
        expect(position(stream.slice(-4))).toBe(position(stream));
      }),
    );
  });

  test('never lets a comment change the events', () => {
    const line = fc.constantFrom('data: {"a":1}', 'event: x', 'data: y', ': note', 'id: 7', '');
    const end = fc.constantFrom('\n', '\r\n');
    const streams = fc.array(fc.tuple(line, end)).map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(streams, fc.nat(), (stream, cut) => {
        const at = stream.length === 0 ? 0 : cut % (stream.length + 1);
        const before = stream.slice(0, at);
        const where = position(before);
        if (where === 'in-line') return;
        const comment = where === 'between-events' ? ': keep-alive\n\n' : ': keep-alive\n';
        expect(eventsIn(`${before}${comment}${stream.slice(at)}\n\n`)).toEqual(
          eventsIn(`${stream}\n\n`),
        );
      }),
    );
  });
});

/** A heartbeat; `next` resolves with its next comment. */
function listen(idleMs: number) {
  let comments = Promise.withResolvers<string>();
  const heartbeat = new Heartbeat(idleMs, (comment) => {
    comments.resolve(comment);
    comments = Promise.withResolvers();
  });
  return { heartbeat, next: () => comments.promise };
}

describe('A heartbeat', () => {
  test('is sent repeatedly while nothing else is sent', async () => {
    const { heartbeat, next } = listen(2);
    expect(await next()).toBe(': keep-alive\n\n');
    expect(await next()).toBe(': keep-alive\n\n');
    heartbeat.stop();
  });

  test('combines the ends of small chunks', async () => {
    const { heartbeat, next } = listen(2);
    for (const byte of Buffer.from('data: 1\r\n')) heartbeat.onChunk(Buffer.of(byte));
    expect(await next()).toBe(': keep-alive\n');
    for (const byte of Buffer.from('\r\n')) heartbeat.onChunk(Buffer.of(byte));
    expect(await next()).toBe(': keep-alive\n\n');
    heartbeat.stop();
  });

  test('is not sent inside a line until the line has ended', async () => {
    const { heartbeat, next } = listen(2);
    const clock = listen(2);
    heartbeat.onChunk(Buffer.from('data: 1'));
    const received: string[] = [];
    void next().then((comment) => received.push(comment));
    for (let i = 0; i < 5; i += 1) await clock.next();
    expect(received).toEqual([]);
    heartbeat.onChunk(Buffer.from('\n\n'));
    expect(await next()).toBe(': keep-alive\n\n');
    heartbeat.stop();
    clock.heartbeat.stop();
  });
});
