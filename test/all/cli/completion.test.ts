import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openTestMachine } from '../../kit/process/test-machine.ts';

/** A completion script in a file. */
async function openScript(shell: string) {
  await using terminal = await openTestMachine();
  const { code, stdout, stderr } = await terminal.run(['completion', shell]);
  expect([code, stderr]).toEqual([0, '']);
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-completion-'));
  const file = join(folder, 'script');
  await writeFile(file, stdout);
  return { file, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

const isThere = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

test.each(['bash', 'zsh', 'fish'])('the script for %s is valid', async (shell) => {
  await using script = await openScript(shell);
  if (!isThere(shell)) return;
  const { status, stderr } = spawnSync(shell, ['-n', script.file], { encoding: 'utf8' });
  expect([status, stderr]).toEqual([0, '']);
});

/** Completes the last word of a line, as bash does when Tab is pressed. */
async function complete(line: string): Promise<readonly string[]> {
  await using script = await openScript('bash');
  const words = line.split(' ').map((word) => `'${word}'`);
  const program = `source '${script.file}'
    complete -p gatehouse | grep -q -- '-F _gatehouse gatehouse' || exit 1
    COMP_WORDS=(${words.join(' ')}) COMP_CWORD=${words.length - 1}
    _gatehouse
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { status, stdout } = spawnSync('bash', ['--norc', '-c', program], { encoding: 'utf8' });
  expect(status).toBe(0);
  return stdout.trim().split('\n');
}

describe.skipIf(!isThere('bash'))('bash completes', () => {
  test.each([
    ['gatehouse hi', ['history']],
    ['gatehouse video re', ['resume', 'remove']],
    ['gatehouse key --h', ['--help']],
    ['gatehouse services u', ['use']],
    ['gatehouse history --st', ['--status']],
    ['gatehouse history --json --status f', ['failed']],
    ['gatehouse export --format ', ['csv', 'jsonl', 'har', 'md', 'html']],
    ['gatehouse completion z', ['zsh']],
    ['gatehouse ask hello --protocol m', ['messages']],
    ['gatehouse nonsense', ['']],
  ])('%j', async (line, words) => {
    expect((await complete(line)).toSorted()).toEqual([...words].toSorted());
  });

  test('finding 18: every command and option', async () => {
    expect(await complete('gatehouse ')).toEqual(expect.arrayContaining(['serve', '--version']));
    expect(await complete('gatehouse serve --')).toContain('--no-ui');
  });
});
