import { expect, test } from 'vitest';
import { createLog } from './log.ts';

function record(level: 'debug' | 'warn') {
  const lines: string[] = [];
  const log = createLog({
    level,
    write: (line) => void lines.push(line),
    redact: (line) => line.replaceAll('secret', '***'),
    now: () => 0,
  });
  return { lines, log };
}

test('a line has time, level, message and fields', () => {
  const { lines, log } = record('debug');
  log('info', 'An exchange ended.', { status: 200, model: 'a b' });
  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z info  An exchange ended. status=200 model="a b"',
  ]);
});

test('lines below the level are dropped', () => {
  const { lines, log } = record('warn');
  log('debug', 'x');
  log('info', 'x');
  log('warn', 'x');
  log('error', 'x');
  expect(lines).toHaveLength(2);
});

test('the class of an error is told for bugs only', () => {
  const { lines, log } = record('debug');
  const reason = String(new TypeError('The service refuses the key.'));
  log('warn', 'No list.', { reason });
  log('warn', `No list: ${reason}`);
  log('error', `No list: ${reason}`);
  expect(lines.map((line) => line.slice(31))).toEqual([
    'No list. reason="The service refuses the key."',
    'No list: The service refuses the key.',
    'No list: TypeError: The service refuses the key.',
  ]);
});

test('secrets are taken out, and nothing can begin a line of its own', () => {
  const { lines, log } = record('debug');
  log('info', 'secret\nforged', { field: 'secret\u2028forged\u001b[2J' });
  expect(lines).toHaveLength(1);
  expect(lines[0]).toMatch(/^[\x20-\x7e]+$/u);
  expect(lines[0]).not.toContain('secret');
});
