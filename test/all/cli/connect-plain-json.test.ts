import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ConfigFormatError } from '../../../gateway/connect/edit/config-format.ts';
import { assertPlainJson } from '../../../gateway/connect/edit/plain-json.ts';
import { openTestMachine } from '../../kit/process/test-machine.ts';

test.each([
  ['{\n  // mine\n  "a": 1\n}', 2, 3],
  ['/* mine */ {}', 1, 1],
  ['{\n  "a": [1, 2],\n}', 3, 1],
  ['{"a": [1,]}', 1, 10],
])('a comment or a trailing comma is named with its place: %j', (text, line, column) => {
  expect(() => assertPlainJson(text, 'Agent')).toThrow(ConfigFormatError);
  try {
    assertPlainJson(text, 'Agent');
  } catch (error) {
    expect(error).toMatchObject({
      line,
      column,
      message: expect.stringContaining('Agent ignores'),
    });
  }
});

test.each(['', ' \n', '{}', '{"a": "// no comment", "b": ["/* none */", ",]"]}\r\n'])(
  'plain JSON passes: %j',
  (text) => {
    expect(() => assertPlainJson(text, 'Agent')).not.toThrow();
  },
);

test('Claude Code is not connected by a file that it ignores, and doctor says that it does', async () => {
  await using machine = await openTestMachine();
  const file = join(dirname(machine.dataDir), '.claude', 'settings.json');
  await mkdir(dirname(file));
  const text = '{\n  // mine\n  "theme": "dark"\n}\n';
  await writeFile(file, text);
  const connect = ['connect', 'claude-code', '--yes', '--model', 'aurora/aurora-large'];
  const refused = await machine.run(connect);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    `${file}, line 2, column 3: Claude Code ignores this whole file`,
  );
  expect(await readFile(file, 'utf8')).toBe(text);
  await writeFile(file, '{ "theme": "dark" }\n');
  expect((await machine.run(connect)).code).toBe(0);
  await writeFile(file, `// mine\n${await readFile(file, 'utf8')}`);
  const { code, stdout } = await machine.run(['doctor', 'claude-code']);
  expect(stdout).toContain('Claude Code: Line 1: Claude Code ignores this whole file');
  expect(code).toBe(1);
  expect((await machine.run(['disconnect', 'claude-code', '--yes'])).code).toBe(0);
  expect(await readFile(file, 'utf8')).toBe('// mine\n{ "theme": "dark" }\n');
});
