import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, assert, beforeAll, describe, expect, test } from 'vitest';
import { openBrowser } from '../../../../cli/process/browser.ts';
import { showNotification } from '../../../../cli/process/desktop-notification.ts';
import { reveal } from '../../../../cli/process/reveal.ts';
import { createKeychain } from '../../../../cli/process/keychain.ts';
import {
  removeKeyVariables,
  runProgram,
  startProgram,
} from '../../../../host/process/child-process.ts';
import { openTestMachine } from '../../../kit/process/test-machine.ts';

const UPSTREAM_KEY = 'sk-inherited-by-nobody-0123456789';
const LOCAL_KEY = 'gh-inherited-by-nobody-0123456789';
const KEYS = { GATEHOUSE_UPSTREAM_KEY: UPSTREAM_KEY, GATEHOUSE_LOCAL_KEY: LOCAL_KEY };
let folder = '';
let environment: NodeJS.ProcessEnv = {};

/** Programs that write their environment down, in the place of those of the desktop. */
const STAND_INS = ['xdg-open', 'notify-send', 'dbus-send'];
/** A script that every Node program below runs first; it records its environment. */
const RECORD = `import { appendFileSync } from 'node:fs';
appendFileSync(process.env.REPORT_DIR + '/node', process.argv[1] + ' ' + JSON.stringify(process.env) + '\\n');`;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-children-'));
  const bin = join(folder, 'bin');
  await mkdir(bin);
  await writeFile(join(folder, 'record.mjs'), RECORD);
  for (const name of STAND_INS) {
    const output = join(folder, name);
    const script = `#!/bin/sh\nenv > '${output}.new' && mv '${output}.new' '${output}'\n`;
    await writeFile(join(bin, name), script);
    await chmod(join(bin, name), 0o755);
  }
  environment = {
    PATH: `${bin}:${process.env['PATH']}`,
    HOME: folder,
    DISPLAY: ':0',
    REPORT_DIR: folder,
    ...KEYS,
  };
});
afterAll(async () => await rm(folder, { recursive: true }));

async function reported(program: string): Promise<string> {
  const file = join(folder, program);
  await expect.poll(async () => await readFile(file, 'utf8').catch(() => '')).not.toBe('');
  return await readFile(file, 'utf8');
}

function expectClean(text: string): void {
  expect(text).toContain(folder);
  expect(text).not.toContain('inherited-by-nobody');
}

describe.skipIf(process.platform !== 'linux')('no key is handed down to', () => {
  test('the browser', async () => {
    expect(await openBrowser('http://127.0.0.1:1/', environment)).toBe(true);
    expectClean(await reported('xdg-open'));
  });

  test('the program that shows notices', async () => {
    await showNotification({ title: 'Done', text: 'A video is done.' }, environment);
    expectClean(await reported('notify-send'));
  });

  test('the file manager', async () => {
    await reveal(join(folder, 'record.mjs'), environment);
    expectClean(await reported('dbus-send'));
  });

  test('the process that asks the keychain', async () => {
    const recorded = { ...environment, NODE_OPTIONS: `--import=${join(folder, 'record.mjs')}` };
    await createKeychain(recorded).read('https://models.example.com');
    expectClean(await reported('node'));
    await rm(join(folder, 'node'));
  });

  test('anything that a Gatehouse with keys starts while it serves, its own threads included', async () => {
    await rm(join(folder, 'xdg-open'), { force: true });
    await using terminal = await openTestMachine();
    const recorded = { ...environment, NODE_OPTIONS: `--import=${join(folder, 'record.mjs')}` };
    const more = { ...recorded, GATEHOUSE_UPSTREAM_URL: 'http://127.0.0.1:9' };
    await using serving = await terminal.serve(['--open'], { environment: more });
    expect(serving.banner).toContain('environment');
    expectClean(await reported('xdg-open'));
    const own = await readFile(join(folder, 'node'), 'utf8');
    for (const line of own.split('\n').filter((each) => !/^\S*main\.js /u.test(each))) {
      expect(line).not.toContain('inherited-by-nobody');
    }
  });
});

test('a program without an environment of its own gets that of this process without its keys', async () => {
  Object.assign(process.env, KEYS);
  try {
    const print = ['-e', 'process.stdout.write(JSON.stringify(process.env))'];
    const node = { program: process.execPath, args: print };
    const printed = await runProgram(node, {});
    expect(printed).toContain('"PATH"');
    expect(printed).not.toContain('inherited-by-nobody');
    const child = startProgram(node, { stdio: ['ignore', 'pipe', 'ignore'] });
    assert(child.stdout !== null);
    let all = '';
    child.stdout.on('data', (chunk) => (all += String(chunk)));
    await once(child, 'close');
    expect(all).toContain('"PATH"');
    expect(all).not.toContain('inherited-by-nobody');
  } finally {
    removeKeyVariables(process.env);
  }
  expect(Object.keys(process.env)).not.toContain('GATEHOUSE_UPSTREAM_KEY');
});

test('keys are known by their names, however they are written; nothing else goes', () => {
  const some = {
    gatehouse_upstream_key: 'a',
    GATEHOUSE_LOCAL_KEY: 'b',
    GATEHOUSE_PORT: '1',
    K: '2',
  };
  removeKeyVariables(some);
  expect(some).toEqual({ GATEHOUSE_PORT: '1', K: '2' });
});
