import { randomBytes } from 'node:crypto';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type Gateway, openGateway, openRepositories } from '../../../gateway/gateway.ts';
import { createHost } from '../../../host/host.ts';
import { openStoredKey } from '../../../host/keys/stored-key.ts';
import { openKeyFile } from '../../../host/keys/key-file.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { openTestMachine, type TestMachine } from '../../kit/process/test-machine.ts';

const KEY_FILE = join(import.meta.dirname, '..', '..', '..', 'host', 'keys', 'key-file.ts');
/** Saves a key for each line with a service on standard input and prints the result, many at the same time. */
const SAVER = `
  import { createInterface } from 'node:readline';
  const { openKeyFile } = await import(process.argv[1]);
  const keys = openKeyFile(process.argv[2]);
  console.log('ready');
  createInterface({ input: process.stdin }).on('line', async (line) => {
    const [account, secret] = line.split(' ');
    const { state } = await (secret === '-' ? keys.remove(account) : keys.write(account, secret));
    console.log(account + ' ' + state);
  });`;

const Kept = z.record(z.string(), z.string());
const TEN = Array.from({ length: 10 }, (_, n) => n);
const accountOf = (n: number) => `https://s${n}.example.com`;
const secretOf = (n: number) => `sk-live-secret-${n}`;

let home: string;
let dataDir: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'gatehouse-key-file-'));
  dataDir = join(home, 'data');
  await mkdir(dataDir, { mode: 0o700 });
});
afterEach(async () => await rm(home, { recursive: true }));

async function kept(folder = dataDir): Promise<Record<string, string>> {
  const text = await readFile(join(folder, 'service-key'), 'utf8').catch(() => '{}');
  return Kept.parse(JSON.parse(text));
}

async function openSaver() {
  const call = ['--input-type=module', '-e', SAVER, KEY_FILE, dataDir];
  const child = spawn(process.execPath, call, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const closed = once(child, 'close');
  const received: string[] = [];
  await once(lines, 'line');
  lines.on('line', (line) => void received.push(line));
  return {
    received,
    tell: (account: string, secret: string) => void child.stdin.write(`${account} ${secret}\n`),
    nextLine: async () => void (await once(lines, 'line')),
    async end() {
      child.stdin.end();
      await closed;
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
  };
}

test('ten processes that save and remove keys at once lose no key', async () => {
  const savers = await Promise.all(TEN.map(openSaver));
  for (let round = 0; round < 5; round += 1) {
    await openKeyFile(dataDir).write('https://gone.example.com', 'sk-live-gone');
    savers.forEach((saver, n) => {
      saver.tell(accountOf(n), `${secretOf(n)}-${round}`);
      if (n === 5) saver.tell('https://gone.example.com', '-');
    });
    await Promise.all(
      savers.map(async (saver, n) => {
        const wanted = (round + 1) * (n === 5 ? 2 : 1);
        while (saver.received.length < wanted) await saver.nextLine();
      }),
    );
    const all = TEN.map((n) => [accountOf(n), `${secretOf(n)}-${round}`]);
    expect(await kept()).toEqual(Object.fromEntries(all));
  }
  expect(savers.flatMap(({ received }) => received).every((line) => line.endsWith(' done'))).toBe(
    true,
  );
  await Promise.all(savers.map(async (saver) => await saver.end()));
});

test('a process that is killed while it saves loses no stored key, and blocks no other process', async () => {
  await openKeyFile(dataDir).write(accountOf(0), secretOf(0));
  for (let round = 0; round < 15; round += 1) {
    const saver = await openSaver();
    for (let n = 1; n < 200; n += 1) saver.tell(accountOf(n), `${secretOf(n)}-${round}`);
    // This many are saved, and the next one is being written.
    while (saver.received.length <= round) await saver.nextLine();
    await saver.kill();
    const reported = saver.received.map((line) => line.split(' ')[0] ?? '');
    const now = await kept();
    expect(now[accountOf(0)]).toBe(secretOf(0));
    for (const account of reported) expect(now[account]).toMatch(new RegExp(`-${round}$`, 'u'));
    expect(await openKeyFile(dataDir).write('https://next.example.com', secretOf(round))).toEqual({
      state: 'done',
    });
    expect((await readdir(dataDir)).toSorted()).toEqual(['service-key', 'service-key.lock']);
  }
});

/** Runs work with a gateway whose keys are in the file, as in `serve` and the app. */
async function withGateway(work: (gateway: Gateway) => Promise<void>): Promise<void> {
  const sandbox = await openSandbox();
  const unavailable = { state: 'unavailable', reason: 'There is no keychain here.' } as const;
  const host = createHost({
    dataDir,
    secrets: {
      read: () => Promise.resolve(unavailable),
      write: () => Promise.resolve(unavailable),
      remove: () => Promise.resolve(unavailable),
    },
    command: null,
    logLevel: 'error',
    writeLog: () => undefined,
    now: Date.now,
  });
  const repositories = await openRepositories({ host: { ...host, randomBytes } });
  const gateway = await openGateway({
    repositories,
    platform: {
      openServiceKey: async (account) => await openStoredKey(host, account),
      openSandbox: () => Promise.resolve(sandbox),
    },
    version: 'test',
    port: 0,
    allowedOrigins: [],
  });
  try {
    await work(gateway);
  } finally {
    await gateway.close(0);
    await repositories.close();
    await sandbox.close();
  }
}

async function addTen(gateway: Gateway): Promise<string[]> {
  const ids: string[] = [];
  for (const n of TEN) {
    const form = { name: `Service ${n}`, baseUrl: accountOf(n) };
    ids.push((await gateway.addUpstream({ ...EMPTY_FORM, ...form })).id);
  }
  return ids;
}

const EMPTY_FORM = { versionVendor: 'anthropic', caFile: null, proxyUrl: null };

test('ten keys saved at once in the window are kept, and those of removed services are gone', async () => {
  await withGateway(async (gateway) => {
    const ids = await addTen(gateway);
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(ids.map(async (id, n) => await gateway.saveKey(id, secretOf(n), 'file')));
      expect(Object.keys(await kept())).toHaveLength(10 - round);
      const [first = ''] = ids.splice(0, 1);
      // All at once: a removal, a new key for the same service that comes too late, a deleted key, and new keys for the
      // others.
      const changes = await Promise.allSettled([
        gateway.saveKey(first, 'sk-live-before-the-end', 'file'),
        gateway.removeUpstream(first),
        gateway.saveKey(first, 'sk-live-after-the-end', 'file'),
        ...ids.map(async (id, n) => await gateway.saveKey(id, secretOf(n + 1), 'file')),
      ]);
      expect(changes.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'rejected',
        ...ids.map(() => 'fulfilled'),
      ]);
      expect(Object.keys(await kept())).not.toContain(accountOf(round));
      expect(Object.keys(await kept())).toHaveLength(ids.length);
    }
  });
});

test('a key forgotten beside one that is saved takes nothing of it, in 40 rounds', async () => {
  await withGateway(async (gateway) => {
    const [one = '', other = ''] = await addTen(gateway);
    for (let round = 0; round < 40; round += 1) {
      await gateway.saveKey(one, 'sk-live-forgotten', 'file');
      await Promise.all([
        gateway.forgetKey(one),
        gateway.saveKey(other, `${secretOf(1)}-${round}`, 'file'),
      ]);
      expect(await kept()).toEqual({ [accountOf(1)]: `${secretOf(1)}-${round}` });
    }
  });
});

test('of a key saved and forgotten in turn the last word holds, in the file and in use', async () => {
  await withGateway(async (gateway) => {
    const [id = ''] = await addTen(gateway);
    for (let round = 0; round < 10; round += 1) {
      const last = await Promise.all([
        gateway.saveKey(id, 'sk-live-first', 'file'),
        gateway.forgetKey(id),
        gateway.saveKey(id, `sk-live-last-${round}`, 'file'),
      ]);
      expect(last.map(({ name }) => name)).toEqual(['file', 'unavailable', 'file']);
      expect(await kept()).toEqual({ [accountOf(0)]: `sk-live-last-${round}` });
      expect((await gateway.readKey(id)).name).toBe('file');
    }
  });
});

async function setFrom(terminal: TestMachine, n: number) {
  const service = ['--upstream', `https://t${n}.example.com`];
  const input = `${secretOf(n)}\n`;
  return await terminal.run(['key', 'set', '--plain-text-file', ...service], { input });
}

test('keys set in terminals and in the window at once are all stored', async () => {
  await using terminal = await openTestMachine();
  dataDir = terminal.dataDir;
  await mkdir(dataDir, { mode: 0o700 });
  await withGateway(async (gateway) => {
    const ids = await addTen(gateway);
    const [results] = await Promise.all([
      Promise.all([0, 1, 2, 3].map(async (n) => await setFrom(terminal, n))),
      ...ids.map(async (id, n) => await gateway.saveKey(id, secretOf(n), 'file')),
    ]);
    expect(results.map(({ code, stderr }) => [code, stderr])).toMatchObject(
      results.map(() => [0, expect.anything()]),
    );
    const all = [
      ...TEN.map((n) => [accountOf(n), secretOf(n)]),
      ...[0, 1, 2, 3].map((n) => [`https://t${n}.example.com`, secretOf(n)]),
    ];
    expect(await kept()).toEqual(Object.fromEntries(all));
  });
});
