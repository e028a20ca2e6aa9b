import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openKeychain } from '../../cli/secrets.ts';
import { openSandbox } from '../../sandbox/server.ts';
import { KEYRING_INSTALLED, openSession } from '../keys/keyring.ts';
import { DesktopApp } from './kit.ts';
import { chat, engineOf, openFolder } from './served.ts';

const log = (dataDir: string) => readFile(join(dataDir, 'logs', 'engine.log'), 'utf8');

test('an engine that is killed comes back at its port and says in the log what was', async () => {
  await using folder = await openFolder();
  await using app = await DesktopApp.start(folder);
  const first = await engineOf(app);
  process.kill(first.pid, 'SIGKILL');
  const second = await engineOf(app, first);
  expect(second.port).toBe(first.port);
  const answer = await chat(second, folder.localKey);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('[DONE]')]);
  const lines = await log(folder.dataDir);
  expect(lines).toMatch(/The engine has ended by itself\. crashes=1/u);
  expect(lines).toMatch(/A process of the app has ended\. name="Gatehouse engine" reason=killed/u);
});

test('the app after one that was killed takes over from its engine', async () => {
  await using folder = await openFolder();
  const killed = await DesktopApp.start(folder);
  const before = await engineOf(killed);
  killed.kill();
  await killed.end();
  await using app = await DesktopApp.start(folder);
  const answer = await chat(await engineOf(app, before), folder.localKey);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('[DONE]')]);
});

describe.skipIf(!KEYRING_INSTALLED)('with a real keychain', () => {
  test('the main process hands its key to the engine, and to the next one after a crash', async () => {
    await using session = await openSession();
    await session.startKeyring('unlocked');
    await using sandbox = await openSandbox();
    await using folder = await openFolder(sandbox.url);
    await openKeychain(session.environment).write(sandbox.url, sandbox.key);
    await using app = await DesktopApp.start({ ...folder, environment: session.environment });
    const first = await engineOf(app);
    expect((await chat(first, folder.localKey)).status).toBe(200);
    process.kill(first.pid, 'SIGKILL');
    expect((await chat(await engineOf(app, first), folder.localKey)).status).toBe(200);
    expect(await log(folder.dataDir)).not.toContain(sandbox.key);
  });
});
