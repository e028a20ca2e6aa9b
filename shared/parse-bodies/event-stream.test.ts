import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { findLargestGap, nameEvent, splitEvents, timeEvents } from './event-stream.ts';

const STREAM = 'event: a\ndata: 1\ndata: 2\n\n: note\n\ndata: {"type":"b"}\r\n\r\ndata: 3\n\n';

test('events are split at empty lines, with their names', () => {
  const events = splitEvents({ text: `${STREAM}data: 4`, omitted: null });
  expect(events.map((event) => [nameEvent(event), event.data, event.kind])).toEqual([
    ['a', '1\n2', 'event'],
    ['comment', ': note', 'comment'],
    ['b', '{"type":"b"}', 'event'],
    ['message', '3', 'event'],
    ['message', '4', 'cut'],
  ]);
});

test('each event and comment has its time and the gap before it', () => {
  const eventTimes = [10, 20, 60, 70];
  const events = timeEvents({ text: `${STREAM}data: 4`, omitted: null, eventTimes });
  expect(events.map(({ at, gap }) => [at, gap])).toEqual([
    [10, null],
    [20, 10],
    [60, 40],
    [70, 10],
    [null, null],
  ]);
});

test('without its middle, an event that it interrupts has the time of its end', () => {
  const head = 'data: 1\n\ndata: 2';
  const tail = ' is cut\n\ndata: 9\n\n';
  const body = { text: head + tail, omitted: { at: head.length, bytes: 99 } };
  const eventTimes = [1, 40, 50];
  expect(timeEvents({ ...body, eventTimes }).map(({ data, at }) => [data, at])).toEqual([
    ['1', 1],
    ['2', null],
    ['', 40],
    ['9', 50],
  ]);
});

test('the largest gap is found', () => {
  const eventTimes = [100, 110, 400, 420];
  const events = timeEvents({ text: 'data: x\n\n'.repeat(4), omitted: null, eventTimes });
  expect(findLargestGap(events)).toBe(2);
  expect(findLargestGap([])).toBeNull();
});

test('any text is split', () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(50), fc.array(fc.nat()), (text, at, eventTimes) => {
      timeEvents({ text, omitted: { at, bytes: 1 }, eventTimes });
      const events = timeEvents({ text, omitted: null, eventTimes });
      expect(events.every(({ gap }) => gap === null || gap >= 0)).toBe(true);
    }),
  );
});
