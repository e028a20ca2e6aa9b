import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, assert, beforeEach, describe, expect, test } from 'vitest';
import {
  describeProcess,
  readLockOwner,
  acquireLock,
} from '../../../../host/lock/instance-lock.ts';
import { CAN_UNSHARE, UNSHARE } from '../../../kit/process/unshare.ts';
import { openTestMachine } from '../../../kit/process/test-machine.ts';

const LOCK = join(import.meta.dirname, '..', '..', '..', '..', 'host', 'lock', 'instance-lock.ts');
/** For each line with a folder on standard input: tries to take its lock, says whether it did, and keeps it. */
const CONTENDER = `
  import { createInterface } from 'node:readline';
  const { acquireLock } = await import(process.argv[1]);
  console.log('ready');
  for await (const folder of createInterface({ input: process.stdin })) {
    const lock = await acquireLock(folder);
    console.log('release' in lock ? 'taken' : 'held');
  }`;

if (!CAN_UNSHARE) {
  process.stderr.write('Pid namespaces cannot be made here: the lock is not tried across them.\n');
}

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'gatehouse-lock-'));
});
afterEach(async () => await rm(root, { recursive: true }));

const noteOf = (folder: string) => join(folder, 'serving.json');
const lockOf = (folder: string) => join(folder, 'serving.lock');

async function openContender(within: readonly string[] = []) {
  const line = [...within, process.execPath, '--input-type=module', '-e', CONTENDER, LOCK];
  const child = spawn(line[0] ?? '', line.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  await once(lines, 'line');
  const closed = once(child, 'close');
  return {
    async contend(folder: string): Promise<string> {
      const printed = once(lines, 'line');
      child.stdin.write(`${folder}\n`);
      const [word] = await printed;
      return String(word);
    },
    async kill() {
      child.kill('SIGKILL');
      await closed;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await closed;
    },
  };
}

const PLACES = [
  ['in ordinary processes', [], true],
  ['in pid namespaces of their own', UNSHARE, CAN_UNSHARE],
] as const;

describe.each(PLACES)('of several takers %s', (_where, within, possible) => {
  test.runIf(possible)('that come at the same moment exactly one has the lock', async () => {
    await using contenders = new AsyncDisposableStack();
    const all = await Promise.all(
      Array.from({ length: 6 }, async () => contenders.use(await openContender(within))),
    );
    for (let round = 0; round < 25; round += 1) {
      const folder = await mkdtemp(join(root, 'round-'));
      // As a process leaves it that was killed.
      if (round % 2 === 0) await writeFile(noteOf(folder), '{"pid":1,"port":1}');
      const outcomes = await Promise.all(all.map(async (one) => await one.contend(folder)));
      expect(outcomes.filter((word) => word === 'taken')).toHaveLength(1);
      expect((await readdir(folder)).toSorted()).toEqual(['serving.json', 'serving.lock']);
    }
  });

  test.runIf(possible)('the next one has it as soon as the one before was killed', async () => {
    for (let round = 0; round < 5; round += 1) {
      await using first = await openContender(within);
      await using second = await openContender(within);
      expect(await first.contend(root)).toBe('taken');
      expect(await second.contend(root)).toBe('held');
      await first.kill();
      expect(await second.contend(root)).toBe('taken');
      await second.kill();
    }
  });
});

test.runIf(CAN_UNSHARE)(
  'of two servers in namespaces of their own, started at once on one folder, one runs and is found from outside',
  async () => {
    await using terminal = await openTestMachine();
    for (let round = 0; round < 10; round += 1) {
      const starts = await Promise.allSettled(
        [1, 2].map(async () => await terminal.serve([], { within: UNSHARE })),
      );
      const running = starts.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      const refused = starts.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(running).toHaveLength(1);
      expect(String(refused[0])).toMatch(/already (?:running|starting)/u);
      const link = await terminal.run(['open', '--print']);
      expect(link.code, link.stderr).toBe(0);
      const { stderr } = await terminal.run(['serve']);
      expect(stderr).toContain(`already running (pid 1) at http://127.0.0.1:${running[0]?.port}`);
      await running[0]?.stop('SIGKILL');
    }
  },
);

test('a lock that its taker does not look after any more is still held', async () => {
  const forgetful = `
    const { acquireLock } = await import(process.argv[1]);
    await acquireLock(process.argv[2]);
    for (let round = 0; round < 5; round += 1) await new Promise((go) => setImmediate(go, gc()));
    console.log('collected');
    process.stdin.resume();`;
  const options = ['--expose-gc', '--input-type=module', '-e', forgetful, LOCK, root];
  const child = spawn(process.execPath, options, { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(createInterface({ input: child.stdout }), 'line');
  expect(await acquireLock(root)).toMatchObject({ pid: child.pid });
  child.stdin.end();
  await once(child, 'close');
});

test('of places told one after the other the last one holds, and none after the lock was given back', async () => {
  const lock = await acquireLock(root);
  assert('release' in lock);
  for (const port of [1, 2, 3]) lock.update({ port, windowPort: null });
  expect(await readLockOwner(root)).toMatchObject({ port: 3 });
  lock.release();
  lock.release();
  lock.update({ port: 4, windowPort: null });
  expect(await readLockOwner(root)).toBeNull();
  expect(await readdir(root)).toEqual(['serving.lock']);
});

test('the lock given back by one is taken by the next in the same process, and not before', async () => {
  const first = await acquireLock(root);
  assert('release' in first);
  expect(await acquireLock(root)).toMatchObject({ pid: process.pid });
  first.release();
  const second = await acquireLock(root);
  assert('release' in second);
  // The first has nothing to give back any more.
  first.release();
  expect(await readLockOwner(root)).toMatchObject({ pid: process.pid });
  second.release();
});

test('those who only look for the holder keep nobody from taking the lock', async () => {
  for (let round = 0; round < 20; round += 1) {
    const looks = Array.from({ length: 20 }, async () => await readLockOwner(root));
    const taken = acquireLock(root);
    const more = Array.from({ length: 20 }, async () => await readLockOwner(root));
    const lock = await taken;
    assert('release' in lock);
    await Promise.all([...looks, ...more]);
    lock.release();
  }
});

test('what a holder told of itself stays until it is told anew', async () => {
  const lock = await acquireLock(root, 'video');
  assert('release' in lock);
  lock.update({ service: 'sandbox' });
  lock.update({ port: 5 });
  const reported = { runs: 'video', service: 'sandbox', port: 5, windowPort: null };
  expect(await readLockOwner(root)).toMatchObject(reported);
  lock.release();
});

test('whatever a note says, without the lock nobody serves', async () => {
  const running = { pid: process.pid, host: '', port: 1, windowPort: null, runs: 'serve' };
  await writeFile(noteOf(root), JSON.stringify({ ...running, service: null }));
  expect(await readLockOwner(root)).toBeNull();
  const lock = await acquireLock(root);
  assert('release' in lock);
  expect(await readLockOwner(root)).toMatchObject({ port: null });
  lock.release();
});

test('a process of another machine or container is named with it', () => {
  const there = {
    port: null,
    windowPort: null,
    runs: 'serve',
    service: null,
    key: null,
    reportKey: null,
    controlKey: null,
    paused: false,
  } as const;
  expect(describeProcess({ ...there, pid: 7, host: 'elsewhere' })).toBe('pid 7 on elsewhere');
});

test('a holder that does not tell who it is, is not taken for nobody', async () => {
  const lock = await acquireLock(root);
  assert('release' in lock);
  await rm(noteOf(root));
  await expect(readLockOwner(root)).rejects.toThrow(/does not tell which one/u);
  await expect(acquireLock(root)).rejects.toThrow(/does not tell which one/u);
  lock.release();
});

test('a lock file that is something else is told, and left as it is', async () => {
  await writeFile(lockOf(root), 'x'.repeat(4_096));
  await expect(acquireLock(root)).rejects.toThrow(/not the lock that Gatehouse made\. Remove it/u);
  await expect(readLockOwner(root)).rejects.toThrow(/not the lock that Gatehouse made/u);
  expect(await readFile(lockOf(root), 'utf8')).toBe('x'.repeat(4_096));
});

describe.skipIf(process.platform === 'win32')('with rights and links', () => {
  test('nobody else may read the lock, or they could keep it from being taken', async () => {
    await chmod(root, 0o777);
    const lock = await acquireLock(root);
    assert('release' in lock);
    for (const file of [lockOf(root), noteOf(root)]) {
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
    lock.release();
  });

  test('a folder or a link into nothing in place of a file is told, and not waited for', async () => {
    for (const name of ['serving.json', 'serving.lock']) {
      const places = [await mkdtemp(join(root, 'f-')), await mkdtemp(join(root, 'l-'))] as const;
      await mkdir(join(places[0], name));
      await symlink('/nowhere/at/all', join(places[1], name));
      for (const place of places) {
        await expect(acquireLock(place)).rejects.toThrow(/not an ordinary file\. Remove it/u);
        // Nothing is held by the attempt.
        await rm(join(place, name), { recursive: true });
        const lock = await acquireLock(place);
        assert('release' in lock);
        lock.release();
      }
    }
  });
});
