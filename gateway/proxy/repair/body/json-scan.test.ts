import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ByteChunks } from '../../../lib/byte-chunks.ts';
import { Problem } from '../../../../shared/problem.ts';
import { scanJson } from './json-scan.ts';
import { scanMembers } from './json-members.ts';

function parse(text: string): { readonly valid: boolean; readonly value: unknown } {
  try {
    return { valid: true, value: JSON.parse(text) };
  } catch {
    return { valid: false, value: null };
  }
}

async function expectLikeParser(text: string): Promise<void> {
  const body = Buffer.from(text);
  const { valid, value } = parse(text);
  const scanned = await scanJson(body);
  expect([text, scanned.valid]).toEqual([text, valid]);
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
  if (!isObject) {
    expect(scanned.members).toBeNull();
    return;
  }
  expect(scanned.members).toEqual(scanMembers(body));
  const read = (scanned.members ?? []).map(({ key, valueStart, valueEnd }) => [
    key,
    JSON.parse(body.toString('utf8', valueStart, valueEnd)),
  ]);
  expect(Object.fromEntries(read)).toEqual(value);
}

// Valid and almost valid JSON texts.
const json = fc.json({ maxDepth: 5 });
const spaced = json.map((text) => text.replaceAll(/([[\]{},:])/gu, ' $1\n\t'));
const broken = fc
  .tuple(
    json,
    fc.nat(),
    fc.constantFrom('', '"', '\\', ',', '0', '-', '.', 'e', ']', '}', ' ', '\n'),
  )
  .map(([text, at, fragment]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + fragment + text.slice(place + (fragment === '' ? 1 : 0));
  });
const fragments = fc
  .array(fc.constantFrom(...'{}[]",:\\ 01-+.eE/u\n'.split(''), 'true', 'null', 'false', '"a"'))
  .map((list) => list.join(''));

/** Cuts bytes at these places. */
function cut(body: Buffer, places: readonly number[]): Buffer[] {
  const sorted = [0, ...places.toSorted((one, other) => one - other), body.length];
  return sorted.slice(1).map((end, index) => body.subarray(sorted[index], end));
}

async function turnsUntil(done: AbortSignal): Promise<number> {
  let turns = 0;
  for (; !done.aborted; turns += 1) await nextTurn();
  return turns;
}

const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
const wide = (members: number) =>
  Buffer.from(`{${Array.from({ length: members }, (_, i) => `"${i}":0`).join(',')}}`);

describe('scanJson scans a body', () => {
  test('the result equals that of JSON.parse for arbitrary input', async () => {
    await fc.assert(fc.asyncProperty(fc.oneof(json, spaced, broken, fragments), expectLikeParser), {
      numRuns: 5_000,
    });
  });

  test('the result is the same with cuts at every place', async () => {
    const all = fc.oneof(json, spaced, broken, fragments);
    await fc.assert(
      fc.asyncProperty(all, fc.array(fc.nat()), async (text, places) => {
        const body = Buffer.from(text);
        const whole = await scanJson(body);
        const cutAt = places.map((place) => place % (body.length + 1));
        const bytes = Array.from(body, (_, at) => body.subarray(at, at + 1));
        expect(await scanJson(new ByteChunks(bytes))).toEqual(whole);
        expect(await scanJson(new ByteChunks(cut(body, cutAt)))).toEqual(whole);
        for (let at = 0; at <= body.length; at += 1) {
          expect(await scanJson(new ByteChunks(cut(body, [at])))).toEqual(whole);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('the result equals that of JSON.parse for long strings with rare special characters', async () => {
    const letter = fc.oneof(
      { weight: 60, arbitrary: fc.constantFrom('a', ' ', 'é', '😀') },
      {
        weight: 1,
        arbitrary: fc.constantFrom('"', '\\', '\\"', '\\n', '\\u0041', '\\ud83d', '\n', '\0'),
      },
    );
    const long = fc.string({ unit: letter, minLength: 300, maxLength: 600 });
    await fc.assert(
      fc.asyncProperty(long, json, async (text, other) => {
        await expectLikeParser(`{"${text}":${other},"b":"${text}"}`);
        await expectLikeParser(`["${text}",${other}`);
      }),
    );
  });

  test.each([
    '-',
    '-0',
    '01',
    '1.',
    '.5',
    '1e',
    '1e+',
    '1E-07',
    '"\\u12g4"',
    '"\\u12:4"',
    '"\\u123@"',
    '"\\u00"',
    '"\\uAfF0\\u09afx"',
    '"\\x"',
    '"\t"',
    '1 2',
  ])('the result equals that of JSON.parse for %j', async (text) => {
    await expectLikeParser(text);
    await expectLikeParser(`{"a":${text}}`);
    await expectLikeParser(`[${text},${text}]`);
  });

  test('a long body is scanned and other work runs after each MiB', async () => {
    const done = new AbortController();
    const others = turnsUntil(done.signal);
    const body = Buffer.from(`{"a":[${'[],'.repeat(8 * 1024 * 1024)}0],"model":"m"}`);
    const { members } = await scanJson(body);
    done.abort();
    expect(members?.map(({ key }) => key)).toEqual(['a', 'model']);
    expect(await others).toBeGreaterThanOrEqual(24);
  });

  test('a body beyond a limit is rejected', async () => {
    expect(await scanJson(nested(512))).toEqual({ valid: true, members: null });
    expect((await scanJson(wide(10_000))).members).toHaveLength(10_000);
    expect((await scanJson(Buffer.from('[1,2,[]]'), 4)).valid).toBe(true);
    expect((await scanJson(Buffer.from(`-${'9'.repeat(1000)}.${'9'.repeat(1000)}`))).valid).toBe(
      true,
    );
    const tooComplex: readonly [Buffer, number?][] = [
      [nested(513)],
      [Buffer.alloc(40 * 1024 * 1024, '[')],
      [wide(10_001)],
      [Buffer.from(`{"seconds":${'9'.repeat(40 * 1024 * 1024)}}`)],
      [Buffer.from(`[0.${'0'.repeat(1001)}]`)],
      [Buffer.from(`1e${'0'.repeat(1001)}`)],
      [Buffer.from('[1,2,[]]'), 3],
    ];
    for (const [body, values] of tooComplex) {
      const scanning = (async () => await scanJson(body, values))();
      const problem: unknown = await scanning.catch((error: unknown) => error);
      expect(problem instanceof Problem && problem.code).toBe('body_too_complex');
    }
  });
});
