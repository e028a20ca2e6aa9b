import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from './canonical-json.ts';

describe('The canonical form', () => {
  test.for([
    ['{"a":1,"b":[2]}', ' { "b" : [ 2 ] ,\r\n\t"a" : 1 } '],
    ['"cat"', '"\\u0063\\u0061\\u0074"'],
    ['"/"', '"\\/"'],
    ['"\\u00e9"', '"é"'],
    ['"\\n"', '"\\u000A"'],
    ['4', '4.0'],
    ['4', '4e0'],
    ['4', '40E-1'],
    ['4', '0.4e+1'],
    ['4', '0.4e+000000001'],
    ['0', '-0'],
    ['0', '0.000e9'],
    ['1e400', '10e399'],
    ['[[],{}]', '[ [ ] , { } ]'],
    ['{"__proto__":1,"a":2}', '{"a":2,"__proto__":1}'],
    ['{"a":{"c":1,"b":2}}', '{"a":{"b":2,"c":1}}'],
  ])('of %s equals that of %s', ([one = '', other = '']) => {
    expect(canonicalJson(one)).toBe(canonicalJson(other));
  });

  test.for([
    ['{"a":1}', '[["a",1]]'],
    ['{"a":1}', '[{"a":1}]'],
    ['{"a":1}', '{"a":"1"}'],
    ['"a"', '["a"]'],
    ['null', '"null"'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":null}', '{}'],
    ['{"__proto__":{"a":1}}', '{}'],
    ['{"__proto__":{"a":1}}', '{"a":1}'],
    ['{"a":1,"a":2}', '{"a":2}'],
    ['{"a":1,"a":2}', '{"a":2,"a":1}'],
    ['9007199254740993', '9007199254740992'],
    ['1e400', '1e401'],
    ['1e9999999999999999', '1e99999999999999999'],
    ['0.1', '0.10000000000000000001'],
    ['-4', '4'],
    ['"\\ud800"', '"\\ufffd"'],
    ['"\\\\u0063"', '"\\u0063"'],
    ['"a"', '"A"'],
    ['"é"', '"e\\u0301"'],
    ['{"a":{"b":1},"c":2}', '{"a":{"b":1,"c":2}}'],
    ['[[1],2]', '[[1,2]]'],
    ['{"a,\\"b\\":1":2}', '{"a":2,"b":1}'],
  ])('of %s differs from that of %s', ([one = '', other = '']) => {
    expect(canonicalJson(one)).not.toBe(canonicalJson(other));
  });

  test('is equal exactly for equal values, in any spelling', () => {
    fc.assert(
      fc.property(json, json, fc.infiniteStream(fc.nat(99)), (one, other, chance) => {
        const pick = (below: number): number => (chance.next().value ?? 0) % below;
        expect(canonicalJson(spell(one, pick))).toBe(canonicalJson(JSON.stringify(one)));
        const alike = canonicalJson(JSON.stringify(one)) === canonicalJson(JSON.stringify(other));
        if (alike) expect(asRead(one)).toStrictEqual(asRead(other));
        else expect(asRead(one)).not.toStrictEqual(asRead(other));
      }),
      { numRuns: 3000 },
    );
  });

  test('is itself in canonical form, and represents an equal value', () => {
    fc.assert(
      fc.property(json, (value) => {
        const canonical = canonicalJson(JSON.stringify(value));
        expect(canonicalJson(canonical)).toBe(canonical);
        expect(JSON.parse(canonical)).toEqual(asRead(value));
      }),
      { numRuns: 2000 },
    );
  });

  test('is also built for long and deeply nested values', () => {
    const deep = `${'[{"a":'.repeat(100_000)}1${'}]'.repeat(100_000)}`;
    expect(canonicalJson(deep)).toHaveLength(deep.length + 2);
    const long = JSON.stringify({ text: 'x"\\'.repeat(2_000_000), zeros: `1${'0'.repeat(10)}` });
    expect(canonicalJson(long)).toBe(long);
    expect(canonicalJson(`0.${'0'.repeat(2_000_000)}1${'0'.repeat(2_000_000)}`)).toBe('1e-2000001');
  });
});

/** Few names and few values, so that two objects are often equal or almost equal. */
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, -1, 4, 10, 0.1, 1e21, 1e-7, '', 'a', '1', '"', '\\'),
    fc.string({ unit: 'binary', maxLength: 3 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', '', '__proto__', 'toString', '"'), tie('value'), {
      maxKeys: 3,
      noNullPrototype: true,
    }),
  ),
})).value;

function asRead(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, member: unknown) => (member === 0 ? 0 : member));
}

/** Spells a value differently: order of members, white space, escapes, forms of numbers. */
function spell(value: unknown, pick: (below: number) => number): string {
  const space = ['', ' ', '\n', '\t\r'][pick(4)] ?? '';
  if (Array.isArray(value)) {
    return `[${space}${value.map((item) => spell(item, pick)).join(`${space},`)}${space}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, member]) => `${spellText(name, pick)}${space}:${space}${spell(member, pick)}`,
    );
    const turned = pick(2) === 0 ? members : members.toReversed();
    return `{${space}${turned.join(`${space},${space}`)}${space}}`;
  }
  if (typeof value === 'string') return spellText(value, pick);
  if (typeof value === 'number') return spellNumber(value, pick);
  return `${JSON.stringify(value)}${space}`;
}

function spellText(text: string, pick: (below: number) => number): string {
  if (pick(2) === 0) return JSON.stringify(text);
  const escaped = Array.from({ length: text.length }, (_, index) => {
    const code = text.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${pick(2) === 0 ? code : code.toUpperCase()}`;
  });
  return `"${escaped.join('')}"`;
}

function spellNumber(value: number, pick: (below: number) => number): string {
  const plain = JSON.stringify(value);
  if (plain.includes('e')) return pick(2) === 0 ? plain : plain.toUpperCase();
  const longer = plain.includes('.') ? `${plain}0` : `${plain}.0`;
  return [plain, longer, `${plain}e0`, `${longer}E+00`][pick(4)] ?? plain;
}
