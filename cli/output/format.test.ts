import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { wrapLines, formatTimestamp, truncate, formatElapsed, wrapText } from './format.ts';

test.each([
  [-5, '0 s'],
  [12_400, '12 s'],
  [59_700, '1 min'],
  [185_000, '3 min'],
  [7_500_000, '2 h 5 min'],
  [5 * 24 * 3_600_000, '5 days'],
])('%s milliseconds that go on are %s', (ms, text) => {
  expect(formatElapsed(ms)).toBe(text);
});

test('a moment is local time down to the second', () => {
  expect(formatTimestamp(new Date(2026, 0, 2, 3, 4, 5).getTime())).toBe('2026-01-02 03:04:05');
  expect(formatTimestamp(null)).toBe('–');
});

test('a text is cut by letters, not in the middle of one', () => {
  expect(truncate('short', 5)).toBe('short');
  expect(truncate('longer text', 5)).toBe('long…');
  expect(truncate('🎬🎬🎬🎬', 3)).toBe('🎬🎬…');
});

test('a text is broken between words, but never inside what is quoted or to be pasted', () => {
  expect(wrapText('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrapText('Then run "gatehouse key set" again.', 20)).toEqual([
    'Then run',
    '"gatehouse key set"',
    'again.',
  ]);
  const command = 'npm run -s gatehouse -- key set --upstream https://models.example.com';
  expect(wrapText(`Name yours: ${command}`, 20)).toEqual(['Name yours:', command]);
  expect(wrapText('Name yours: gatehouse key set --upstream URL', 20)).toEqual([
    'Name yours:',
    'gatehouse key set --upstream URL',
  ]);
});

test('no command to paste is broken, whichever it is', async () => {
  const folder = join(import.meta.dirname, '../commands');
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'));
  const code = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  const commands = code.flatMap((text) =>
    [...text.matchAll(/program\s*\.command\('(\w+)/gu)].map(([, name]) => `gatehouse ${name} now`),
  );
  expect(commands).toContain('gatehouse restore now');
  for (const command of commands) {
    expect(wrapText(`Run ${command}`, 5)).toEqual(['Run', command]);
  }
});

test('every line of a text is wrapped, except what is indented to be pasted', () => {
  const text = 'The port is taken.\n  gatehouse serve --port 7000\n\nEnd';
  expect(wrapLines(text, 10)).toEqual([
    'The port',
    'is taken.',
    '  gatehouse serve --port 7000',
    '',
    'End',
  ]);
  expect(wrapLines(text, null)).toEqual(text.split('\n'));
});
