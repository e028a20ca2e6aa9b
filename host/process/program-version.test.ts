import { chmod, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readProgramVersion } from './program-version.ts';

async function withProgram<Value>(
  script: string,
  work: (path: string, home: string) => Promise<Value>,
): Promise<Value> {
  const home = await realpath(await mkdtemp(join(tmpdir(), 'gatehouse-version-')));
  try {
    const path = join(home, 'program');
    await writeFile(path, `#!/bin/sh\n${script}\n`);
    await chmod(path, 0o755);
    return await work(path, home);
  } finally {
    await rm(home, { recursive: true });
  }
}

const isWindows = process.platform === 'win32';

test.skipIf(isWindows).each<[string, string | null]>([
  ['echo "2.1.332 (Claude Code)"', '2.1.332'],
  ['echo "codex-cli 0.171.0-alpha.3"', '0.171.0-alpha.3'],
  ['echo v1.18.33', '1.18.33'],
  ['echo "no number"', null],
  ['echo 1.2.3; exit 1', null],
  ['yes 1.2.3', null],
  ['[ "$1" = --version ] && echo 1.2.3', '1.2.3'],
  ['[ -z "$GATEHOUSE_UPSTREAM_KEY" ] && echo 1.2.3', '1.2.3'],
])('a program that runs %j has the version %j', async (script, version) => {
  await withProgram(script, async (path, home) => {
    const environment = { PATH: process.env['PATH'], HOME: home, GATEHOUSE_UPSTREAM_KEY: 'sk-key' };
    expect(await readProgramVersion(path, environment)).toBe(version);
  });
});

test.skipIf(isWindows)('a program runs in the home folder, and several are asked', async () => {
  const script = '[ "$(pwd -P)" = "$HOME" ] && echo 1.2.3';
  await withProgram(script, async (path, home) => {
    const environment = { PATH: process.env['PATH'], HOME: home };
    const all = Array.from({ length: 9 }, async () => await readProgramVersion(path, environment));
    expect(new Set(await Promise.all(all))).toEqual(new Set(['1.2.3']));
  });
});

test.skipIf(isWindows)('never more than four programs run at once', async () => {
  // Each leaves a file while it counts, and prints how many there are.
  const count = 'i=0; while [ $i -lt 50000 ]; do i=$((i+1)); done';
  const script = `: > "$HOME/run-$$"; ${count}; set -- "$HOME"/run-*; echo "1.$#"; rm "$HOME/run-$$"`;
  await withProgram(script, async (path, home) => {
    const environment = { PATH: process.env['PATH'], HOME: home };
    const ask = async () => await readProgramVersion(path, environment);
    // Whoever asks the moment a program ends comes after those that wait.
    const askTwice = async () => [await ask(), await ask()];
    const versions = (await Promise.all(Array.from({ length: 9 }, askTwice))).flat();
    expect(versions.filter((version) => !/^1\.[1-4]$/u.test(version ?? ''))).toEqual([]);
  });
});

test('a program that is not there has no version', async () => {
  expect(await readProgramVersion('/no/such/program', {})).toBeNull();
});
