import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { formatAutostartEntry, isEntryEnabled } from './autostart-entry.ts';

test.each([
  ['/usr/bin/gatehouse', '"/usr/bin/gatehouse" --hidden'],
  ['/a b/50%', '"/a b/50%%" --hidden'],
  [String.raw`/a"b$c\d`, String.raw`"/a\\"b\\$c\\\\d" --hidden`],
])('%s is quoted as desktops read it', (program, exec) => {
  const line = formatAutostartEntry(program, '--hidden')
    .split('\n')
    .find((each) => each.startsWith('Exec'));
  expect(line).toBe(`Exec=${exec}`);
});

test('an entry counts unless it is absent or switched off in place', () => {
  const entry = formatAutostartEntry('/usr/bin/gatehouse', '--hidden');
  expect(isEntryEnabled(entry)).toBe(true);
  expect(isEntryEnabled('')).toBe(false);
  expect(isEntryEnabled(`${entry}Hidden=true\n`)).toBe(false);
  expect(isEntryEnabled(entry.replace('enabled=true', 'enabled=false'))).toBe(false);
});

test('an entry has the icon that packages bring, which is called as their program', () => {
  const file = join(import.meta.dirname, '..', 'electron-builder.yml');
  const { linux } = parse(readFileSync(file, 'utf8'));
  expect(formatAutostartEntry('/opt/x', '--hidden')).toContain(`\nIcon=${linux.executableName}\n`);
});
