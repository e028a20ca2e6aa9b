import { execFileSync } from 'node:child_process';
import { array, assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { formatCommandLine } from '../../../host/process/command-line.ts';

test.each([
  [
    ['/opt/Gatehouse/gatehouse-desktop', '--quick-chat'],
    '/opt/Gatehouse/gatehouse-desktop --quick-chat',
  ],
  [['/home/a b/Gatehouse.AppImage'], "'/home/a b/Gatehouse.AppImage'"],
  [['env', "A=/it's/here"], String.raw`env 'A=/it'\''s/here'`],
  [['run', ''], "run ''"],
  [
    ['$HOME', '~', '`id`', 'a"b', 'a\\b', 'a;b'],
    String.raw`'$HOME' '~' '${'`id`'}' 'a"b' 'a\b' 'a;b'`,
  ],
])('%j is one line', (words, line) => {
  expect(formatCommandLine(words)).toBe(line);
});

test.skipIf(process.platform === 'win32')('a shell reads any words back as they were', () => {
  const word = string({ unit: 'grapheme' }).filter((text) => !text.includes('\0'));
  assert(
    property(array(word, { minLength: 1, maxLength: 20 }), (words) => {
      const read = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${formatCommandLine(words)}`]);
      expect(read.toString()).toBe(words.map((each) => `${each}\0`).join(''));
    }),
    { numRuns: 60 },
  );
});
