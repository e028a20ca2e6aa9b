import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { createKeychain } from '../../../cli/process/keychain.ts';
import { openKeyFile } from '../../../host/keys/key-file.ts';
import { readLockOwner, acquireLock } from '../../../host/lock/instance-lock.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { Status } from '../../../shared/status.ts';
import { KEYRING_INSTALLED, openSession, PROMPTS_INSTALLED } from '../../kit/process/keyring.ts';
import { openConnectProxy } from '../../kit/net/connect-proxy.ts';
import { DesktopApp } from '../../kit/desktop/kit.ts';
import { chat, engineOf, openFolder, openFolderOf, recordsIn } from './served.ts';

const NAME = 'Gatehouse engine';
const log = (dataDir: string) => readFile(join(dataDir, 'logs', 'engine.log'), 'utf8');
const isThere = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  );

const listens = async (port: number): Promise<boolean> => {
  const socket = connect(port, '127.0.0.1');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return await promise.finally(() => socket.destroy());
};

const runs = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

test('an engine that is killed restarts on its port and logs the reason', async () => {
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

test('an engine reports its state to other processes of its user', async () => {
  await using folder = await openFolder();
  await using app = await DesktopApp.start(folder);
  const { pid, port } = await engineOf(app);
  const holder = await readLockOwner(folder.dataDir);
  expect(holder).toMatchObject({ pid, port, reportKey: expect.stringMatching(/\S{20,}/u) });
  const headers = { authorization: `Bearer ${holder?.reportKey ?? ''}` };
  const answer = await fetch(`http://127.0.0.1:${port}/status`, { headers });
  expect(answer.status).toBe(200);
  expect(Status.parse(await answer.json())).toMatchObject({ port, load: { circuit: 'closed' } });
});

test('an engine is controlled by commands of its user', async () => {
  await using folder = await openFolder();
  await using app = await DesktopApp.start(folder);
  const { port } = await engineOf(app);
  const holder = await readLockOwner(folder.dataDir);
  const control = async (path: string, key: string) =>
    await fetch(`http://127.0.0.1:${port}/control/status/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
  expect((await control('pause', holder?.reportKey ?? '')).status).toBe(401);
  expect((await control('pause', holder?.controlKey ?? '')).status).toBe(200);
  const status = await control('get', holder?.controlKey ?? '');
  expect(await status.json()).toMatchObject({ json: { paused: true } });
});

test('an engine that keeps crashing is not restarted until a person asks for it', async () => {
  await using app = await DesktopApp.start();
  let engine = await app.utility(NAME);
  for (let crash = 1; crash < 5; crash += 1) {
    process.kill(engine.pid, 'SIGKILL');
    await app.menuWith('Start again');
    await app.pick('Start again');
    engine = await app.utility(NAME, engine);
  }
  process.kill(engine.pid, 'SIGKILL');
  await app.menuWith('Gatehouse keeps stopping.');
  await app.pick('Start again');
  const { pid } = await engineOf(app);
  process.kill(pid, 'SIGKILL');
  await app.menuWith('Gatehouse stopped unexpectedly and is restarting.');
});

test('an app that starts after another was killed takes over from its engine', async () => {
  await using folder = await openFolder();
  const killed = await DesktopApp.start(folder);
  const before = await engineOf(killed);
  killed.kill();
  await killed.end();
  await using app = await DesktopApp.start(folder);
  const answer = await chat(await engineOf(app, before), folder.localKey);
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('[DONE]')]);
});

test('an engine that cannot start explains why and offers a way out', async () => {
  await using folder = await openFolder();
  const { dataDir } = folder;
  const file = new DatabaseSync(join(dataDir, 'gatehouse.db'));
  file.exec("insert into kysely_migration values ('9999-to-come', '')");
  const other = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(other, 'listening');
  const taken = Object(other.address()).port;
  const environment = { GATEHOUSE_PORT: String(taken) };
  await using app = await DesktopApp.start({ dataDir, environment });
  await app.menuWith(/^The database .* was written by/u);

  file.exec("delete from kysely_migration where name = '9999-to-come'");
  file.close();
  const lock = await acquireLock(dataDir);
  await app.pick('Start again');
  await app.menuWith(/^Gatehouse already runs without its desktop window/u);

  if ('release' in lock) lock.release();
  await app.pick('Start again');
  const menu = await app.menuWith(new RegExp(`^Port ${taken} is used by`, 'u'));
  const way = menu.find(({ label }) => label.startsWith('Use port'))?.label ?? '';
  await app.pick(way);
  const { pid, port } = await engineOf(app);
  expect(way).toBe(`Use port ${port}`);
  // Those that were turned away are gone.
  const left = () => app.snapshot.utilities.map((one) => one.pid).filter(runs);
  await expect.poll(left).toEqual([pid]);
  other.close();
});

test.each([
  [{ GATEHOUSE_PORT: 'http' }, 'GATEHOUSE_PORT has to be a number'],
  [{ GATEHOUSE_DATA_DIR: import.meta.filename }, 'is not a folder'],
])('an app that cannot even begin says so and ends: %j', async (environment, words) => {
  await using app = await DesktopApp.start({ environment });
  const dialog = await app.dialog();
  expect(dialog.kind).toBe('error');
  expect(JSON.stringify(dialog.options)).toContain(words);
  dialog.answer({});
  expect(await app.end()).toBe(1);
});

test('quitting lets running requests finish, then writes everything and leaves nothing behind', async () => {
  await using sandbox = await openSandbox();
  await using folder = await openFolderOf(sandbox);
  const { dataDir, localKey } = folder;
  await using app = await DesktopApp.start(folder);
  const engine = await engineOf(app);
  const answer = await chat(engine, localKey, 'gate=1');
  // A terminal sends Ctrl-C and its closing to all its processes.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.kill(engine.pid, signal);
  app.quit();
  await app.menuWith('Quitting when 1 request has ended');
  // The engine hears of it a moment after the tray.
  await expect.poll(() => listens(engine.port), { interval: 10 }).toBe(false);
  await app.menuWith('Quitting when 1 request has ended');
  sandbox.openGate(1);
  expect(await answer.text()).toContain('[DONE]');
  expect(await app.end()).toBe(0);
  const left = ['serving.json', 'gatehouse.db-wal'].map((name) => isThere(join(dataDir, name)));
  expect(await Promise.all(left)).toEqual([false, false]);
  expect(await recordsIn(dataDir)).toMatchObject([{ status: 200, endedBy: 'service' }]);
});

test.each([
  ['who quits again', async (app: DesktopApp) => app.quit()],
  ['the end of the session', async (app: DesktopApp) => await app.power('shutdown')],
])('%s cuts what runs, and it is recorded', async (_who, cut) => {
  await using folder = await openFolder();
  await using app = await DesktopApp.start(folder);
  const answer = await chat(await engineOf(app), folder.localKey, 'slow-stream=20000');
  app.quit();
  await app.menuWith('Quit at once');
  await cut(app);
  await expect(answer.text()).rejects.toThrow('terminated');
  expect(await app.end()).toBe(0);
  expect(await recordsIn(folder.dataDir)).toMatchObject([{ status: 200 }]);
});

test('after a sleep the engine asks the system for its proxy again', async () => {
  await using proxy = await openConnectProxy();
  await using sandbox = await openSandbox();
  const baseUrl = `http://service.test:${new URL(sandbox.url).port}`;
  await using folder = await openFolder(baseUrl);
  await openKeyFile(folder.dataDir).write(baseUrl, sandbox.key);
  await using app = await DesktopApp.start(folder);
  const engine = await engineOf(app);
  expect((await chat(engine, folder.localKey)).status).toBe(502);
  await app.proxyIs(`SOCKS5 127.0.0.1:9; PROXY ${new URL(proxy.url).host}`);
  await app.power('suspend');
  await app.power('resume');
  const status = async () => (await chat(engine, folder.localKey)).status;
  await expect.poll(status).toBe(200);
  expect(proxy.asked.length).toBeGreaterThan(0);
});

describe.skipIf(!KEYRING_INSTALLED)('with a real keychain', () => {
  test('the main process passes its key to the engine, and to the next one after a crash', async () => {
    await using session = await openSession();
    await session.startKeyring('unlocked');
    await using sandbox = await openSandbox();
    await using folder = await openFolder(sandbox.url);
    await createKeychain(session.environment).write(sandbox.url, sandbox.key);
    await using app = await DesktopApp.start({ ...folder, environment: session.environment });
    const first = await engineOf(app);
    expect((await chat(first, folder.localKey)).status).toBe(200);
    process.kill(first.pid, 'SIGKILL');
    expect((await chat(await engineOf(app, first), folder.localKey)).status).toBe(200);
    await app.fault('rejected', `No keychain has ${sandbox.key} now`);
    await expect.poll(() => log(folder.dataDir)).toContain('No keychain has <service key> now');
    expect(await log(folder.dataDir)).not.toContain(sandbox.key);
  });

  test.skipIf(!PROMPTS_INSTALLED)(
    'a keychain that waits for a person keeps the app neither from starting nor from ending',
    async () => {
      await using session = await openSession();
      await session.startKeyring('unlocked');
      await using sandbox = await openSandbox();
      await using folder = await openFolder(sandbox.url);
      await createKeychain(session.environment).write(sandbox.url, sandbox.key);
      await session.stopKeyring();
      await session.startKeyring('locked');
      await session.showPrompts();
      await using app = await DesktopApp.start({ ...folder, environment: session.environment });
      await engineOf(app);
      await app.menuWith('Keychain locked');
      app.quit();
      expect(await app.end()).toBe(0);
      expect(await isThere(join(folder.dataDir, 'serving.json'))).toBe(false);
    },
  );
});
