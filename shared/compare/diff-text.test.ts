import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { diffSequence } from './diff-sequence.ts';
import { diffText, type Piece, shortenSame } from './diff-text.ts';

const STEPS = 10_000_000;

function diff(before: string, after: string): readonly Piece[] {
  return diffText(before, after, { steps: STEPS });
}

function textOf(pieces: readonly Piece[], without: Piece['kind']): string {
  return pieces.flatMap(({ kind, text }) => (kind === without ? [] : [text])).join('');
}

/** Texts that have many words in common. */
const TEXT = fc
  .array(fc.constantFrom('one ', 'two ', 'three', '\n', ' ', 'é🦊', '{"a":', '}'), {
    maxLength: 40,
  })
  .map((words) => words.join(''));

describe('the difference of two texts', () => {
  test('has both texts, whatever they are', () => {
    fc.assert(
      fc.property(fc.oneof(TEXT, fc.string()), fc.oneof(TEXT, fc.string()), (before, after) => {
        const pieces = diff(before, after);
        expect(textOf(pieces, 'added')).toBe(before);
        expect(textOf(pieces, 'removed')).toBe(after);
        expect(pieces.every(({ text }) => text !== '')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('is in words', () => {
    expect(diff('Say the big word now', 'Say one big sentence now')).toEqual([
      { kind: 'same', text: 'Say ' },
      { kind: 'removed', text: 'the' },
      { kind: 'added', text: 'one' },
      { kind: 'same', text: ' big ' },
      { kind: 'removed', text: 'word' },
      { kind: 'added', text: 'sentence' },
      { kind: 'same', text: ' now' },
    ]);
    expect(diff('same', 'same')).toEqual([{ kind: 'same', text: 'same' }]);
    expect(diff('', 'new')).toEqual([{ kind: 'added', text: 'new' }]);
  });

  test('of 1 MiB with a few changes is in lines, and with many it is one part, within its budget', () => {
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `line ${at} with ${at * 7} some words\n`,
    );
    const changed = lines.map((line, at) => (at % 100 === 50 ? `changed ${line}` : line));
    const budget = { steps: STEPS };
    const pieces = diffText(lines.join(''), changed.join(''), budget);
    expect(pieces.filter(({ kind }) => kind === 'added')).toHaveLength(200);
    expect(pieces.find(({ kind }) => kind === 'added')?.text).toBe(
      'changed line 50 with 350 some words\n',
    );
    const other = lines.map((line) => line.replaceAll(/\d+/gu, 'x')).toReversed();
    const whole = diffText(lines.join(''), other.join(''), budget);
    expect(whole.filter(({ kind }) => kind !== 'same').map(({ kind }) => kind)).toEqual([
      'removed',
      'added',
    ]);
    expect(textOf(whole, 'removed')).toBe(other.join(''));
  });

  test('is not searched for any further when the budget is used up', () => {
    const before = Array.from({ length: 50_000 }, (_, at) => String(at % 50));
    const after = Array.from({ length: 50_000 }, (_, at) => String(at % 49));
    const budget = { steps: 100_000 };
    expect(diffSequence(before, after, budget)).toBeNull();
    expect(budget.steps).toBeGreaterThan(-200_000);
    expect(diffText('a b', 'a c', { steps: -1 })).toEqual([
      { kind: 'same', text: 'a ' },
      { kind: 'removed', text: 'b' },
      { kind: 'added', text: 'c' },
    ]);
  });

  test('is the shortest one', () => {
    const edits = (diffSequence('ABCABBA'.split(''), 'CBABAC'.split(''), { steps: 1000 }) ?? [])
      .filter(({ kind }) => kind !== 'same')
      .reduce((sum, { count }) => sum + count, 0);
    expect(edits).toBe(5);
  });

  test('shows of a long equal part only its ends', () => {
    const long = 'word '.repeat(1_000);
    const shown = shortenSame(diff(`${long}a ${long}`, `${long}b ${long}`));
    expect(shown.map(({ kind, omitted }) => [kind, omitted])).toEqual([
      ['same', 4_840],
      ['removed', 0],
      ['added', 0],
      ['same', 4_841],
    ]);
    expect([shown[0]?.text, shown[3]?.rest]).toEqual(['', '']);
    const parts = shown.map(({ text, omitted, rest }) => text.length + omitted + rest.length);
    expect(parts[0]).toBe(long.length);
  });
});
