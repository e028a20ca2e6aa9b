import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, assert, beforeEach, expect, test } from 'vitest';
import { readHolder, takeLock } from '../../hosting/lock.ts';

const LOCK = join(import.meta.dirname, '..', '..', 'hosting', 'lock.ts');
/** For each line with a folder on standard input: tries to take its lock, says whether it did, and keeps it. */
const CONTENDER = `
  import { createInterface } from 'node:readline';
  const { takeLock } = await import(process.argv[1]);
  console.log('ready');
  for await (const folder of createInterface({ input: process.stdin })) {
    const lock = await takeLock(folder, Date.now);
    console.log('release' in lock ? 'taken' : 'held');
  }`;

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatehouse-lock-'));
});
afterEach(async () => await rm(root, { recursive: true }));

async function openContender() {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CONTENDER, LOCK]);
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  return {
    async contend(folder: string): Promise<string> {
      const said = once(lines, 'line');
      child.stdin.write(`${folder}\n`);
      const [line] = await said;
      return String(line);
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await once(child, 'close');
    },
  };
}

test('a dead lock goes to exactly one of several processes that find it at once, every time', async () => {
  const dead = spawn(process.execPath, ['-e', '']);
  await once(dead, 'close');
  await using contenders = new AsyncDisposableStack();
  const all = await Promise.all(
    Array.from({ length: 6 }, async () => contenders.use(await openContender())),
  );
  for (let round = 0; round < 25; round += 1) {
    const folder = await mkdtemp(join(root, 'round-'));
    const lock = { pid: dead.pid, port: 1, startedAt: Date.now() };
    await writeFile(join(folder, 'serving.json'), JSON.stringify(lock));
    const said = await Promise.all(all.map(async (one) => await one.contend(folder)));
    expect(said.filter((word) => word === 'taken')).toHaveLength(1);
    expect(await readdir(folder)).toEqual(['serving.json']);
  }
});

const lockOf = (folder: string) => join(folder, 'serving.json');
const inAYear = () => Date.now() + 365 * 24 * 3_600_000;

test('of places told at once the last one holds, and none after the lock was given back', async () => {
  const lock = await takeLock(root, Date.now);
  assert('release' in lock);
  const told = [1, 2, 3].map((port) => lock.announce({ port, windowPort: null }));
  await Promise.all(told);
  expect(await readHolder(root, Date.now)).toMatchObject({ port: 3 });
  lock.release();
  await lock.announce({ port: 4, windowPort: null });
  expect(await readdir(root)).toEqual([]);
});

test('what a holder told of itself stays until it is told anew', async () => {
  const lock = await takeLock(root, Date.now, 'video');
  assert('release' in lock);
  await lock.announce({ service: 'sandbox' });
  await lock.announce({ port: 5 });
  const told = { runs: 'video', service: 'sandbox', port: 5, windowPort: null };
  expect(await readHolder(root, Date.now)).toMatchObject(told);
  lock.release();
});

test('a clock that jumps does not make a living process look dead', async () => {
  const lock = await takeLock(root, Date.now);
  assert('release' in lock);
  await lock.announce({ port: 1, windowPort: null });
  expect(await readHolder(root, inAYear)).toMatchObject({ pid: process.pid, port: 1 });
  expect(await takeLock(root, inAYear)).toMatchObject({ pid: process.pid });
  lock.release();
  expect(await readdir(root)).toEqual([]);
});

test('whatever got the process id of one that crashed is not taken for it', async () => {
  const running = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
  const { pid } = running;
  const startedAt = Date.now();
  const crashed = [
    { pid, port: 1, startedAt, born: '00000000-0000-0000-0000-000000000000 1' },
    // Where the system tells no birth, nobody answers at the port.
    { pid, port: 1, startedAt, born: null },
  ];
  for (const lock of crashed) {
    await writeFile(lockOf(root), JSON.stringify(lock));
    expect(await readHolder(root, Date.now)).toBeNull();
  }
  const taken = await takeLock(root, Date.now);
  expect(taken).toHaveProperty('release');
  running.kill();
});

test('where no birth is told, a Gatehouse that answers at its port is alive', async () => {
  const gatehouse = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end('{"service":"gatehouse"}');
  }).listen(0, '127.0.0.1');
  await once(gatehouse, 'listening');
  const address = gatehouse.address();
  assert(typeof address === 'object' && address !== null);
  const lock = { pid: process.ppid, port: address.port, startedAt: 1_000, born: null };
  await writeFile(lockOf(root), JSON.stringify(lock));
  expect(await readHolder(root, Date.now)).toMatchObject(lock);
  gatehouse.close();
  gatehouse.closeAllConnections();
});

test('a lock that another process has taken over is left to it', async () => {
  const lock = await takeLock(root, Date.now);
  assert('release' in lock);
  const other = JSON.stringify({ pid: process.ppid, port: null, startedAt: 1 });
  await writeFile(lockOf(root), other);
  lock.release();
  expect(await readFile(lockOf(root), 'utf8')).toBe(other);
});

test.skipIf(process.platform === 'win32')(
  'a folder or a link into nothing in place of the lock is told, and not waited for',
  async () => {
    for (const name of ['serving.json', 'serving.takeover']) {
      const places = [await mkdtemp(join(root, 'f-')), await mkdtemp(join(root, 'l-'))] as const;
      await mkdir(join(places[0], name));
      await symlink('/nowhere/at/all', join(places[1], name));
      for (const place of places) {
        if (name === 'serving.takeover') await writeFile(lockOf(place), '{"pid":0}');
        await expect(takeLock(place, Date.now)).rejects.toThrow(
          /not an ordinary file\. Remove it/u,
        );
      }
    }
  },
);
