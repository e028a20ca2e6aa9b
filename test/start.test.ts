import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

const START = join(import.meta.dirname, '..', 'build', 'start.ts');
/** The start of a person who is not root, whoever runs this test. */
const NOT_ROOT = ['--import', 'data:text/javascript,process.getuid=()=>1000'];
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-start-'));
});
afterAll(async () => await rm(folder, { recursive: true }));

function start(args: readonly string[], environment: NodeJS.ProcessEnv) {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [...NOT_ROOT, START, ...args], {
    env: { PATH, HOME: folder, GATEHOUSE_DATA_DIR: join(folder, 'data'), ...environment },
  });
  onTestFinished(() => void child.kill());
  return {
    child,
    said: text(child.stderr),
    printed: text(child.stdout),
    closed: once(child, 'close'),
  };
}

test.skipIf(process.platform !== 'linux')(
  'where Electron is, the app is opened with it, and its exit code is that of the start',
  async () => {
    const program = join(folder, 'electron');
    await writeFile(program, '#!/bin/sh\necho "opened $@"\nexit 7\n');
    await chmod(program, 0o755);
    const { printed, closed } = start([], { DISPLAY: ':0', ELECTRON_OVERRIDE_DIST_PATH: folder });
    expect(await closed).toEqual([7, null]);
    expect(await printed).toBe(`opened ${join(START, '..', '..')}\n`);
  },
);

test('without a display it serves, says why, and ends in order when it is told to', async () => {
  const { child, said, closed } = start([], {
    GATEHOUSE_PORT: '0',
    GATEHOUSE_UI_PORT: '0',
  });
  await new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk) => String(chunk).includes('http://') && resolve());
  });
  child.kill('SIGTERM');
  expect(await closed).toEqual([0, null]);
  expect(await said).toMatch(/^Gatehouse runs without its desktop app: there is no display\.$/mu);
});
