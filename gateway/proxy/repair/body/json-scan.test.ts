import { setImmediate as nextTurn } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
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
    for (const context of [
      scanJson(nested(513)),
      scanJson(Buffer.alloc(40 * 1024 * 1024, '[')),
      scanJson(wide(10_001)),
      scanJson(Buffer.from(`{"seconds":${'9'.repeat(40 * 1024 * 1024)}}`)),
      scanJson(Buffer.from(`[0.${'0'.repeat(1001)}]`)),
      scanJson(Buffer.from(`1e${'0'.repeat(1001)}`)),
      scanJson(Buffer.from('[1,2,[]]'), 3),
    ]) {
      const problem: unknown = await context.catch((error: unknown) => error);
      expect(problem instanceof Problem && problem.code).toBe('body_too_complex');
    }
  });
});
