import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EMPTY_FIELD_MAP, JsonPointer } from '../../../shared/video/video.ts';
import {
  findUrls,
  findIdentifiers,
  findReasons,
  findGrowingNumbers,
  parseReply,
  parseTask,
  getValueAt,
} from './detect-fields.ts';

const REQUEST = {
  model: 'h3',
  task: 'ref2va',
  prompt: 'A red fox runs',
  seconds: '4',
  resolution: '480p',
  conditions: [{ type: 'image', url: 'http://media.test/files/1/cat.png' }],
};

const values = (found: readonly { value: string }[]) => found.map(({ value }) => value);

const word = (json: unknown) => parseTask(json, EMPTY_FIELD_MAP).word;

/** Builds nested members. */
function nested(depth: number, inner: string): string {
  return '{"a":'.repeat(depth) + inner + '}'.repeat(depth);
}

describe('an answer', () => {
  it('that is not JSON is undefined', () => {
    expect(parseReply('<html>')).toBeUndefined();
    expect(parseReply('')).toBeUndefined();
    expect(parseReply('null')).toBeNull();
  });

  it('keeps the digits of an identifier that is too large for a number', () => {
    expect(parseReply('{"id":9007199254740993123,"n":12}')).toEqual({
      id: '9007199254740993123',
      n: 12,
    });
    expect(parseReply('[1234567890.12345678901234567, 1e400]')).toEqual([
      1234567890.1234567,
      Infinity,
    ]);
  });

  it('is otherwise parsed like JSON.parse', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!/\d{16}/u.test(text));
        expect(parseReply(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['12', '1234567890123456789'])('may be nested deeper than any stack (%s)', (inner) => {
    expect(parseReply(nested(100_000, inner))).toBeUndefined();
    const json = parseReply(nested(200, inner));
    expect(json).toBeTypeOf('object');
    expect(findIdentifiers(json, json)).toEqual([]);
    expect(findReasons(json, json)).toEqual([]);
    expect(parseTask(json, EMPTY_FIELD_MAP).word).toBeNull();
  });

  it('may have 500,000 entries', () => {
    const json = { list: Array.from({ length: 500_000 }, (_, index) => index), id: 'task-1' };
    expect(values(findIdentifiers(json, {}))).toContain('task-1');
    expect(findIdentifiers(json, {})).toHaveLength(20);
  });
});

describe('the address of an uploaded file', () => {
  it('is the only http or https address', () => {
    const json = { object: 'file', data: [{ link: 'https://media.test/a%20b' }] };
    expect(findUrls(json)).toEqual([
      { pointer: '/data/0/link', value: 'https://media.test/a%20b' },
    ]);
  });

  it('is one candidate when it occurs twice, and two addresses are two', () => {
    const json = { deep: { again: 'http://m.test/1' }, a: 'http://m.test/1', b: 'http://m.test/2' };
    expect(findUrls(json)).toEqual([
      { pointer: '/a', value: 'http://m.test/1' },
      { pointer: '/b', value: 'http://m.test/2' },
    ]);
  });

  it.each([
    '/files/1',
    'media.test/1',
    'file:///etc/passwd',
    'data:image/png;base64,AA',
    'See https://media.test/1',
    'https://media.test/1 is it',
    'https://',
    'http://[bad/',
  ])('is not %j', (value) => {
    expect(findUrls({ value })).toEqual([]);
  });
});

describe('the identifier of a task', () => {
  it('is found by any name and type', () => {
    const json = { object: 'video', job: { nr: 17 }, model: 'h3', seconds: 4, ok: true };
    expect(findIdentifiers(json, REQUEST)).toEqual([
      { pointer: '/object', value: 'video' },
      { pointer: '/job/nr', value: '17' },
    ]);
  });

  it('is not a value of the request', () => {
    expect(findIdentifiers({ ...REQUEST, seconds: 4, echo: REQUEST }, REQUEST)).toEqual([]);
  });

  it.each(['', ' ', 'two words', 'a\u0000b', '\uD800', '.', '..', 'https://x.test/1', 1.5, true])(
    'is not %j',
    (value) => {
      expect(findIdentifiers({ value }, REQUEST)).toEqual([]);
    },
  );

  it('is at most 512 characters long', () => {
    expect(findIdentifiers(['x'.repeat(512)], {})).toHaveLength(1);
    expect(findIdentifiers(['x'.repeat(513)], {})).toHaveLength(0);
  });

  it('fits into a path as one segment, and is found at its pointer again', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (json, request) => {
        const found = findIdentifiers(json, request);
        expect(found.length).toBeLessThanOrEqual(20);
        expect(new Set(values(found)).size).toBe(found.length);
        for (const { pointer, value } of found) {
          expect(getValueAt(json, JsonPointer.parse(pointer))).toBe(value);
          const url = new URL(`http://s.test/v1/videos/${encodeURIComponent(value)}`);
          expect(decodeURIComponent(url.pathname.split('/')[3] ?? '')).toBe(value);
        }
      }),
    );
  });
});

describe("a task's record", () => {
  it('has the shallowest text called status, and no other', () => {
    expect(word({ data: { status: 'inner' }, status: 'outer' })).toBe('outer');
    expect(word({ status: 200, data: [{ status: 'inner' }] })).toBe('inner');
    expect(word({ state: 'completed' })).toBeNull();
    expect(word('completed')).toBeNull();
    expect(word({ status: ' Completed' })).toBe(' Completed');
  });

  it.each([
    [0, 0],
    [0.25, 0.25],
    [1, 1],
    [2, 0.02],
    [45, 0.45],
    ['45%', 0.45],
    ['1 %', 0.01],
    [100, 1],
    [101, null],
    [-1, null],
    ['soon', null],
    [null, null],
  ])('with progress %j is at %j', (progress, expected) => {
    expect(parseTask({ progress }, { progress: '/progress', cost: null }).progress).toBe(expected);
  });

  it('has a cost in the spelling of the service', () => {
    const map = { progress: null, cost: '/usage/cost' };
    expect(parseTask({ usage: { cost: '0.40 €' } }, map).cost).toBe('0.40 €');
    expect(parseTask({ usage: { cost: 0.4 } }, map).cost).toBe('0.4');
    expect(parseTask({ usage: {} }, map).cost).toBeNull();
  });

  it('shows progress by numbers that grow', () => {
    const before = { a: 10, b: 50, c: 1_700_000_000, d: '3', e: 5 };
    const now = { a: 12, b: 50, c: 1_700_000_009, d: '4', e: 4, f: 9 };
    expect(findGrowingNumbers(before, now)).toEqual([{ pointer: '/a', value: '12' }]);
    expect(findGrowingNumbers(undefined, now)).toEqual([]);
  });
});

describe('the reason of a failure', () => {
  const before = { object: 'video', id: 'task-1', status: 'queued' };

  it('is the text that was not there before', () => {
    expect(findReasons({ ...before, status: 'error', detail: 'No faces.' }, before)).toEqual([
      { pointer: '/detail', value: 'No faces.' },
    ]);
  });

  it('is the error’s message alone where the service uses its own form', () => {
    const json = { ...before, error: { code: 'bad', message: 'No faces.' }, hint: 'Try again.' };
    expect(findReasons(json, before)).toEqual([{ pointer: '/error/message', value: 'No faces.' }]);
  });

  it('may be one of several when there is no earlier response', () => {
    const json = { ...before, status: 'error', detail: 'No faces.' };
    expect(values(findReasons(json, undefined))).toEqual(['video', 'task-1', 'No faces.']);
  });
});

describe('a pointer into an answer', () => {
  const json: unknown = JSON.parse(
    '{"a/b":{"m~n":["x",7,""]},"":{"":"empty"},"__proto__":{"id":"own"},"t":true,"n":null}',
  );

  it.each([
    ['/a~1b/m~0n/0', 'x'],
    ['/a~1b/m~0n/1', '7'],
    ['/a~1b/m~0n/2', null],
    ['/a~1b/m~0n/-', null],
    ['/a~1b/m~0n/00', null],
    ['/a~1b/m~0n/length', null],
    ['/a~1b/m~0n/9', null],
    ['//', 'empty'],
    ['/__proto__/id', 'own'],
    ['/constructor/name', null],
    ['/t', null],
    ['/n', null],
    ['/n/x', null],
    ['', null],
    ['a', null],
  ])('%j holds %j', (pointer, expected) => {
    expect(getValueAt(json, pointer)).toBe(expected);
  });
});
