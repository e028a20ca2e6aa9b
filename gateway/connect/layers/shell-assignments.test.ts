import { expect, test } from 'vitest';
import { readFishExports, readPosixExports } from './shell-assignments.ts';

test.each<[string, string | null | undefined]>([
  ['export A=one', 'one'],
  ['export A="one two"', 'one two'],
  ["  export A='http://x/#y' # mine", 'http://x/#y'],
  ['export A=http://x/#y # mine', 'http://x/#y'],
  ['export B=2 A=one', 'one'],
  ['A=one; export A', 'one'],
  ['A=one\nexport B A\n', 'one'],
  ['export A\nA=one', 'one'],
  ['typeset -x A=one', 'one'],
  ['declare -x A=one', 'one'],
  ['export A=""', ''],
  ['export A=', ''],
  ['export A=one\nexport A=two', 'two'],
  ['if [ -z "$B" ]; then export A=one; fi', 'one'],
  ['setup() { export A=one; }', 'one'],
  ['[ -n "$B" ] && export A=one', 'one'],
  ['export \\\n  A=one', 'one'],
  ['export A="a\\"b"', 'a"b'],
  ['export A=$(cat key) B=1', null],
  ['export A="http://$HOST"', null],
  ['export A=${B:-one}', null],
  ["export A='$B'", '$B'],
  ['export A=`cat key`', null],
  ['A=one', undefined],
  ['A=one program', undefined],
  ['# export A=one', undefined],
  ['echo "export A=one"', undefined],
  ['export A=one\nunset A', undefined],
  ['export A=one\r\n', 'one'],
])('%j exports A as %j', (text, value) => {
  expect(readPosixExports(text).get('A')?.value).toBe(value);
});

test('the line of an assignment is that of its value', () => {
  const text = '# one\n\nexport B="a\nb"\nA=one; export A\n';
  const found = readPosixExports(text);
  expect([found.get('B')?.line, found.get('A')?.line]).toEqual([3, 5]);
});

test.each<[string, string | null | undefined]>([
  ['set -gx A one', 'one'],
  ['set -x A "one two"', 'one two'],
  ['set -Ux A one', 'one'],
  ['set --global --export A one', 'one'],
  ['set -g -x A one # mine', 'one'],
  ['test -n "$B"; and set -gx A one', 'one'],
  ['set -gx A (cat key)', null],
  ['set -gx A $B', null],
  ['set -g A one', undefined],
  ['set -gx A one\nset -e A', undefined],
  ['set -gx', undefined],
])('%j exports A in fish as %j', (text, value) => {
  expect(readFishExports(text).get('A')?.value).toBe(value);
});

test('a text without sense has no variables', () => {
  for (const text of ['"'.repeat(100_001), '\\'.repeat(100_001), '$('.repeat(50_000), "'"]) {
    expect(readPosixExports(text).size).toBe(0);
  }
});
