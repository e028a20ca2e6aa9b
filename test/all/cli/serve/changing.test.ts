import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRepositories, type Repositories } from '../../../../gateway/gateway.ts';
import { freePort } from '../../../kit/net/free-port.ts';
import { openUpstream } from '../../../kit/net/scripted-upstream.ts';
import { createFakeKeychain } from '../../../kit/gateway/fake-keychain.ts';
import { openTestMachine, type TestMachine } from '../../../kit/process/test-machine.ts';

const KEY = 'sk-of-the-service-of-the-start';

let terminal: TestMachine;
beforeEach(async () => {
  terminal = await openTestMachine();
});
afterEach(async () => await terminal[Symbol.asyncDispose]());

/** The data folder, opened by another process than the one that serves. */
async function openFolder(): Promise<Repositories & AsyncDisposable> {
  const { dataDir } = terminal;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const host = {
    dataDir,
    secrets: createFakeKeychain(),
    log: () => undefined,
    now: Date.now,
    uptime: () => uptime() * 1000,
    randomBytes,
  };
  const repositories = await openRepositories({ host });
  return { ...repositories, [Symbol.asyncDispose]: () => repositories.close() };
}

async function statusOf(port: number, localKey: string): Promise<number> {
  const url = `http://127.0.0.1:${port}/v1/files/f1`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${localKey}` } });
  await answer.text();
  return answer.status;
}

test('the key of the environment is for the service of the start, also when another one is used later', async () => {
  await using folder = await openFolder();
  await using first = await openUpstream({ models: [] });
  await using second = await openUpstream({ models: [] });
  await folder.upstreams.addAndActivate({ baseUrl: first.url });
  const environment = { GATEHOUSE_UPSTREAM_KEY: KEY };
  await using serving = await terminal.serve([], { environment });
  const answered = statusOf(serving.port, serving.localKey);
  const { head, connection } = await first.next();
  expect(head).toContain(KEY);
  connection.send('HTTP/1.1 204 Nothing\r\n\r\n');
  expect(await answered).toBe(204);

  await folder.upstreams.addAndActivate({ baseUrl: second.url });
  await serving.errorSays(second.url);
  await expect.poll(async () => await statusOf(serving.port, serving.localKey)).toBe(503);
  expect(second.arrivals).toEqual([]);
});

test('a port that is set is moved to at once, is announced, and is the one of the next start', async () => {
  await using folder = await openFolder();
  await folder.settings.change({ port: await freePort() });
  await using serving = await terminal.serve([], { ownPort: true });
  expect(serving.port).toBe(folder.settings.current().port);
  const port = await freePort();
  await folder.settings.change({ port });
  const lock = async () => await readFile(join(terminal.dataDir, 'serving.json'), 'utf8');
  await expect.poll(lock).toContain(`"port":${port},`);
  const { stdout } = await terminal.run(['clients', 'add', 'Later']);
  expect(stdout).toContain(`http://127.0.0.1:${port}/v1`);
});

test('a port that is taken is left alone, and the log says so', async () => {
  await using folder = await openFolder();
  await using other = await openUpstream();
  await folder.settings.change({ port: await freePort() });
  await using serving = await terminal.serve([], { ownPort: true });
  await folder.settings.change({ port: other.port });
  await serving.errorSays(`Port ${other.port} is used by`);
  expect(await statusOf(serving.port, 'no-key')).toBe(401);
});
