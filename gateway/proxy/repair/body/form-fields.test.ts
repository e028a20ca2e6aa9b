import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { toJson, toFormMembers } from './form-fields.ts';

type Field = readonly [name: string, value: string];

test.for<[name: string, fields: readonly Field[], json: object]>([
  ['a plain field', [['a', '1']], { a: '1' }],
  [
    'a field that comes twice',
    [
      ['a', '1'],
      ['a', '2'],
    ],
    { a: ['1', '2'] },
  ],
  ['a list', [['a[]', '1']], { a: ['1'] }],
  [
    'an object',
    [
      ['a[b]', '1'],
      ['a[c]', '2'],
    ],
    { a: { b: '1', c: '2' } },
  ],
  [
    'objects in a list, as the official SDK writes them',
    [
      ['a[][t]', 'image'],
      ['a[][u]', '1'],
      ['a[][t]', 'image'],
      ['a[][u]', '2'],
    ],
    {
      a: [
        { t: 'image', u: '1' },
        { t: 'image', u: '2' },
      ],
    },
  ],
  [
    'deeper ones',
    [
      ['a[b][c][]', '1'],
      ['a[b][c][]', '2'],
    ],
    { a: { b: { c: ['1', '2'] } } },
  ],
  [
    'a name that contradicts',
    [
      ['a', '1'],
      ['a[b]', '2'],
    ],
    { a: '1', 'a[b]': '2' },
  ],
  [
    'brackets that are none',
    [
      ['a[b', '1'],
      ['[c]', '2'],
      ['', '3'],
    ],
    { 'a[b': '1', '[c]': '2', '': '3' },
  ],
])('toFormMembers converts %s', ([, fields, json]) => {
  expect(toJson(toFormMembers(fields))).toEqual(json);
});

test('a field called __proto__ becomes an ordinary member', () => {
  const json = JSON.stringify(
    toJson(
      toFormMembers([
        ['__proto__', 'x'],
        ['a[__proto__]', 'y'],
      ]),
    ),
  );
  expect(json).toBe('{"__proto__":"x","a":{"__proto__":"y"}}');
});

test('no value is lost for any field names', () => {
  const part = fc.constantFrom('a', 'b', '[]', '[a]', '[b]', '[', ']', '');
  const name = fc.array(part, { maxLength: 5 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(name, { maxLength: 12 }), (names) => {
      const fields = names.map((text, index): Field => [text, `value-${index}`]);
      const json = JSON.stringify(toJson(toFormMembers(fields)));
      for (const [, value] of fields) expect(json).toContain(`"${value}"`);
    }),
  );
});
