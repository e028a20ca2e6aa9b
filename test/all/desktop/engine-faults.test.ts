import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openKeyFile } from '../../../host/keys/key-file.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import type { UtilityFault } from '../../kit/desktop/electron-mock/transport/messages.ts';
import { DesktopApp } from '../../kit/desktop/kit.ts';
import { chat, engineOf, openFolder } from './served.ts';

const log = (dataDir: string) => readFile(join(dataDir, 'logs', 'engine.log'), 'utf8');

test.each<readonly [UtilityFault['how'], string, RegExp]>([
  ['thrown', 'abnormal-exit', /The engine has an error\. reason="Error: A gear broke\\n/u],
  ['rejected', 'abnormal-exit', /The engine has an error\. reason="Error: A gear broke\\n/u],
  [
    'exit',
    'abnormal-exit',
    /The engine has an error\. reason="Error: The engine ended itself with code 7/u,
  ],
  ['thread', 'abnormal-exit', /reason="Error: A thread of the engine ended itself with code 7/u],
  [
    'out of memory',
    'crashed',
    /The engine cannot go on\. reason="Allocation failed - JavaScript heap/u,
  ],
])(
  'why an engine ended is in the log, though its pipes are read no more: %s',
  async (how, reason, words) => {
    await using folder = await openFolder();
    const environment = how === 'out of memory' ? { ELECTRON_MOCK_SMALL_HEAP: '1' } : {};
    await using app = await DesktopApp.start({ ...folder, environment, args: ['--hidden'] });
    const first = await engineOf(app);
    await app.utilityFault({ pid: first.pid, how, message: 'A gear broke' });
    await engineOf(app, first);
    const lines = await log(folder.dataDir);
    expect(lines).toMatch(words);
    expect(lines).toMatch(/The engine has ended by itself\. crashes=1 /u);
    expect(lines).toMatch(new RegExp(`name="Gatehouse engine" reason=${reason} `, 'u'));
    expect(await readdir(join(folder.dataDir, 'logs')), 'no report is left').toEqual([
      'engine.log',
    ]);
  },
);

test('a repeated fault of the largest size leaves a small log', async () => {
  await using folder = await openFolder();
  await using app = await DesktopApp.start({ ...folder, args: ['--hidden'] });
  let engine = await app.utility('Gatehouse engine');
  const message = 'x'.repeat(20_000_000);
  for (let crash = 1; crash <= 5; crash += 1) {
    await app.utilityFault({ pid: engine.pid, how: 'thrown', message });
    if (crash === 5) break;
    await app.menuWith('Start again');
    await app.pick('Start again');
    engine = await app.utility('Gatehouse engine', engine);
  }
  await app.menuWith('Gatehouse keeps stopping.');
  const lines = await log(folder.dataDir);
  expect(lines.match(/The engine has an error\./gu)).toHaveLength(5);
  expect(lines.length).toBeLessThan(100_000);
});

test('a fault that contains the service key is logged without it', async () => {
  await using sandbox = await openSandbox();
  await using folder = await openFolder(sandbox.url);
  await openKeyFile(folder.dataDir).write(sandbox.url, sandbox.key);
  await using app = await DesktopApp.start({ ...folder, args: ['--hidden'] });
  const first = await engineOf(app);
  expect((await chat(first, folder.localKey)).status).toBe(200);
  await app.utilityFault({ pid: first.pid, how: 'thrown', message: `With ${sandbox.key}` });
  await engineOf(app, first);
  const lines = await log(folder.dataDir);
  expect(lines).toMatch(/The engine has an error\. reason="Error: With /u);
  expect(lines).not.toContain(sandbox.key);
});
