import { once } from 'node:events';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listCopies, createCopy, restoreCopy } from '../../../gateway/backup/backup.ts';
import { openRepositories } from '../../../gateway/gateway.ts';
import {
  type CommandResult,
  openTestMachine,
  type RunningServer,
} from '../../kit/process/test-machine.ts';
import { fillDisk } from '../../kit/disk/fill-disk.ts';
import { canMount, openSmallDisk, type SmallDisk } from '../../kit/disk/small-disk.ts';
import { orderBody } from '../../kit/videos/video-order.ts';
import { createHost } from './folder.ts';

const MOUNTS = canMount();
const MIB = 1024;

/** Opens a data folder on its own disk, which became full after Gatehouse ended. */
async function openFullFolder(end: 'stopped' | 'killed' | 'killed and lost its shared memory') {
  await using opened = new AsyncDisposableStack();
  const disk: SmallDisk = opened.use(openSmallDisk(3 * MIB));
  const terminal = opened.use(await openTestMachine());
  const dataDir = join(disk.path, 'data');
  const call = { environment: { GATEHOUSE_DATA_DIR: dataDir } };
  const serving = await terminal.serve(['--no-ui'], call);
  const { localKey } = serving;
  expect((await askModels(serving, localKey)).status).toBe(200);
  if (end === 'stopped') {
    await serving.stop('SIGTERM');
  } else {
    serving.child.kill('SIGKILL');
    await once(serving.child, 'exit');
  }
  if (end === 'killed and lost its shared memory') rmSync(join(dataDir, 'gatehouse.db-shm'));
  const makeRoom = fillDisk(disk.path);
  const rest = opened.move();
  return {
    dataDir,
    localKey,
    makeRoom,
    run: async (...args: string[]): Promise<CommandResult> => await terminal.run(args, call),
    serve: async (): Promise<RunningServer> => await terminal.serve(['--no-ui'], call),
    [Symbol.asyncDispose]: async () => await rest.disposeAsync(),
  };
}

async function askModels({ port }: RunningServer, key: string): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}/v1/models`, {
    headers: { authorization: `Bearer ${key}` },
  });
}

async function orderVideo({ port }: RunningServer, key: string): Promise<Response> {
  return await fetch(`http://127.0.0.1:${port}/v1/videos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(orderBody('https://files.example/cat.png')),
  });
}

for (const end of ['stopped', 'killed', 'killed and lost its shared memory'] as const) {
  test.skipIf(!MOUNTS)(
    `on a disk that became full after Gatehouse was ${end}, Gatehouse serves, rejects orders, and recovers once there is space`,
    async () => {
      await using folder = await openFullFolder(end);
      const { dataDir, localKey, makeRoom } = folder;
      await using serving = await folder.serve();
      expect((await askModels(serving, localKey)).status).toBe(200);
      const refused = await orderVideo(serving, localKey);
      expect(refused.status).toBe(503);
      expect(await refused.text()).toContain('order_not_kept');

      makeRoom();
      // Other processes can open it, and find the serving process.
      await expect.poll(async () => (await folder.run('status')).code).toBe(0);
      const listVideos = async () => (await folder.run('video', 'list')).stdout;
      await expect.poll(listVideos).toContain('There is no video yet');
      await (await askModels(serving, localKey)).text();
      expect((await orderVideo(serving, localKey)).status).not.toBe(503);
      expect(existsSync(join(dataDir, 'gatehouse.db-shm'))).toBe(true);
      const added = await folder.run('clients', 'add', 'late');
      expect(added.stderr).not.toContain('full');
      expect(added.code).toBe(0);
    },
  );
}

test.skipIf(!MOUNTS)('doctor reports a full disk, and fails', async () => {
  await using folder = await openFullFolder('stopped');
  const { code, stdout } = await folder.run('doctor');
  expect(code).toBe(1);
  const output = stdout.replaceAll(/\s+/gu, ' ');
  expect(output).toContain(`The disk of the data folder ${folder.dataDir} is full: 0 bytes are`);
  expect(output).toContain('Free some space there');
  expect(output).toContain('was checked and is intact');
  expect(output).not.toContain('opened for writing');
});

test.skipIf(!MOUNTS)(
  'the first start on a full disk names the file, the cause and the next step',
  async () => {
    using disk = openSmallDisk(64);
    await using terminal = await openTestMachine();
    fillDisk(disk.path);
    const environment = { GATEHOUSE_DATA_DIR: disk.path };
    const { code, stderr } = await terminal.run(['serve', '--no-ui', '--port', '0'], {
      environment,
    });
    expect(code).toBe(1);
    const output = stderr.replaceAll(/\s+/gu, ' ');
    expect(output).toContain(
      `The disk with the database ${join(disk.path, 'gatehouse.db')} is full. Free some space`,
    );
  },
);

test.skipIf(!MOUNTS)('a restore on a full disk reports it and changes nothing', async () => {
  using disk = openSmallDisk(80 * MIB);
  await using terminal = await openTestMachine();
  const dataDir = join(disk.path, 'data');
  const environment = { GATEHOUSE_DATA_DIR: dataDir };
  await terminal.run(['clients', 'add', 'Editor'], { environment });
  const repositories = await openRepositories({ host: createHost(dataDir) });
  const name = await createCopy({ dataDir, now: Date.now }, 'gatehouse');
  await repositories.close();
  fillDisk(disk.path);
  const before = readdirSync(dataDir);
  const { code, stderr } = await terminal.run(['restore', String(name), '--yes'], {
    environment,
  });
  expect(code).toBe(1);
  const output = stderr.replaceAll(/\s+/gu, ' ');
  expect(output).toContain(`The disk of the folder ${dataDir} is too full to restore ${name}`);
  expect(output).toContain('Nothing was changed.');
  expect(output).not.toContain('ENOSPC');
  expect(readdirSync(dataDir).filter((file) => !file.startsWith('serving'))).toEqual(
    before.filter((file) => !file.startsWith('serving')),
  );
  const [copy] = await listCopies(dataDir);
  if (copy === undefined) throw new Error('The copy went away.');
  await expect(restoreCopy({ dataDir, now: Date.now }, copy)).rejects.toThrow('too full');
});
