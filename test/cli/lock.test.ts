import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, expect, test } from 'vitest';

const LOCK = join(import.meta.dirname, '..', '..', 'cli', 'lock.ts');
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
