import { link, mkdir, readdir, readFile, rm, statfs, symlink, writeFile } from 'node:fs/promises';
import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publishFile } from '../../../gateway/videos/service/publish-file.ts';
import {
  sendRemainingFile,
  rangeStart,
  requireSaved,
  type ScriptedFetch,
  startScriptedFetch,
} from '../../kit/videos/scripted-fetch.ts';
import { canMount, openSmallDisk } from '../../kit/disk/small-disk.ts';
import { film, sha256 } from '../../kit/videos/video-service-test-bed.ts';

const MEGABYTE = 1_000_000;
const CAN_MOUNT = canMount();
if (!CAN_MOUNT) console.warn('SKIPPED: full and read-only disks, for only root may mount them.');
const EXT4 = 0xef53;

async function fetchWhole(scripted: ScriptedFetch, file: Buffer, changes = {}) {
  const fetching = scripted.bench.fetch(changes);
  sendRemainingFile(await scripted.redirected(), file);
  return await fetching;
}

describe('The name of a video', () => {
  test('never overwrites another file', async () => {
    await using scripted = await startScriptedFetch();
    const { folder } = scripted.bench.plan;
    await mkdir(join(folder, 'A boat (3).mp4'), { recursive: true });
    await writeFile(join(folder, 'A boat.mp4'), 'mine');
    await symlink('/nowhere', join(folder, 'A boat (2).mp4'));
    const saved = requireSaved(await fetchWhole(scripted, await film()));
    expect(basename(saved.path)).toBe('A boat (4).mp4');
    expect(await readFile(join(folder, 'A boat.mp4'), 'utf8')).toBe('mine');
  });

  test('is kept when the video is downloaded again', async () => {
    await using scripted = await startScriptedFetch();
    const file = await film();
    const first = await fetchWhole(scripted, file);
    expect(await fetchWhole(scripted, file)).toEqual(first);
    expect(await readdir(scripted.bench.plan.folder)).toEqual(['A boat.mp4']);
  });

  test('is found again after a crash between renaming and cleanup, without a request to the service', async () => {
    await using scripted = await startScriptedFetch();
    const { plan } = scripted.bench;
    const file = await film(MEGABYTE);
    await rm(plan.folder, { recursive: true, force: true });
    await writeFile(plan.folder, 'in the way');
    expect(await fetchWhole(scripted, file)).toMatchObject({ kind: 'retry-later' });
    await rm(plan.folder);
    await mkdir(plan.folder);
    await link(plan.partFile, join(plan.folder, 'A boat.mp4'));
    const saved = requireSaved(await scripted.bench.fetch());
    expect(saved).toMatchObject({ path: join(plan.folder, 'A boat.mp4'), sha256: sha256(file) });
    expect(await readdir(plan.folder)).toEqual(['A boat.mp4']);
    expect(await readdir(dirname(plan.partFile))).toEqual([]);
    expect(scripted.media.arrivals).toHaveLength(1);
  });

  test.runIf(statfsSync(tmpdir()).type === EXT4)(
    'is also assigned on a file system without hard links',
    async () => {
      await using scripted = await startScriptedFetch();
      const { folder } = scripted.bench;
      const path = join(folder, 'whole');
      await mkdir(join(folder, 'links'));
      await writeFile(path, 'video');
      // The name has the maximum length of this file system; a longer one is refused.
      for (let number = 1; number < 65_000; number += 1) {
        await link(path, join(folder, 'links', String(number)));
      }
      const whole = { path, bytes: 5, sha256: sha256(Buffer.from('video')) };
      const to = { folder: join(folder, 'videos'), name: 'One', ending: 'mp4', spareBytes: 0 };
      expect(await publishFile(whole, to)).toBe(join(to.folder, 'One.mp4'));
      expect(await readdir(to.folder)).toEqual(['One.mp4']);
      expect(await readFile(join(to.folder, 'One.mp4'), 'utf8')).toBe('video');
    },
  );
});

describe('A folder', () => {
  test('that is missing is created', async () => {
    await using scripted = await startScriptedFetch();
    const folder = join(scripted.bench.folder, 'a', 'b', 'c');
    const file = await film(MEGABYTE);
    const fetching = scripted.bench.fetch({ folder });
    const arrival = await scripted.redirected();
    await rm(join(scripted.bench.folder, 'a'), { recursive: true, force: true });
    sendRemainingFile(arrival, file);
    expect(dirname(requireSaved(await fetching).path)).toBe(folder);
  });

  test('that is a file keeps the video until it is a folder', async () => {
    await using scripted = await startScriptedFetch();
    const { plan } = scripted.bench;
    await writeFile(plan.folder, 'a file');
    const file = await film(MEGABYTE);
    expect(await fetchWhole(scripted, file)).toMatchObject({
      kind: 'retry-later',
      sentence: expect.stringContaining(`${plan.folder} is not a folder`),
    });
    await rm(plan.folder);
    expect(requireSaved(await scripted.bench.fetch()).sha256).toBe(sha256(file));
    expect(scripted.media.arrivals).toHaveLength(1);
  });

  test('for parts that is a file is reported', async () => {
    await using scripted = await startScriptedFetch();
    await writeFile(dirname(scripted.bench.plan.partFile), 'a file');
    expect(await scripted.bench.fetch()).toMatchObject({
      kind: 'retry-later',
      sentence: expect.stringContaining('parts is not a folder'),
    });
    expect(scripted.service.arrivals).toEqual([]);
  });

  test('for parts that disappears meanwhile costs one more attempt', async () => {
    await using scripted = await startScriptedFetch();
    const { plan } = scripted.bench;
    const file = await film(2 * MEGABYTE);
    const gone = Promise.withResolvers<void>();
    const onProgress = () => gone.resolve();
    const fetching = scripted.bench.fetch({ onProgress });
    const arrival = await scripted.redirected();
    const half = file.subarray(0, MEGABYTE);
    arrival.connection.send(`HTTP/1.1 200 OK\r\ncontent-length: ${file.length}\r\n\r\n`);
    arrival.connection.send(half);
    await gone.promise;
    await rm(dirname(plan.partFile), { recursive: true });
    arrival.connection.send(file.subarray(MEGABYTE));
    expect(await fetching).toMatchObject({
      kind: 'retry-later',
      sentence: expect.stringContaining(`The folder ${dirname(plan.partFile)} is gone`),
    });
    expect(requireSaved(await fetchWhole(scripted, file)).sha256).toBe(sha256(file));
  });
});

describe.runIf(CAN_MOUNT)('A disk', () => {
  test('without space for the video is reported before anything is written, with the next step', async () => {
    using disk = openSmallDisk(1024);
    await using scripted = await startScriptedFetch();
    const file = await film(3 * MEGABYTE);
    const partFile = join(disk.path, 'one');
    expect(await fetchWhole(scripted, file, { partFile })).toMatchObject({
      kind: 'retry-later',
      sentence: expect.stringMatching(
        /^The disk of the folder .* has \d MiB left\. The video needs 3 MiB, .* Free \d MiB/,
      ),
    });
  });

  test('that must keep some free space is not filled', async () => {
    using disk = openSmallDisk(4096);
    await using scripted = await startScriptedFetch({ limits: { spareBytes: 4 * MEGABYTE } });
    const file = await film(MEGABYTE);
    const partFile = join(disk.path, 'one');
    expect(await fetchWhole(scripted, file, { partFile })).toMatchObject({ kind: 'retry-later' });
  });

  test('that becomes full keeps the received part, and the rest is downloaded when there is space', async () => {
    using disk = openSmallDisk(1024);
    await using scripted = await startScriptedFetch();
    const { bench } = scripted;
    const partFile = join(disk.path, 'one');
    const ballast = join(disk.path, 'ballast');
    const file = await film(900_000);
    const fetching = bench.fetch({ partFile });
    const arrival = await scripted.redirected();
    // The size is unknown in advance, so the full disk cannot be foreseen.
    arrival.connection.send('HTTP/1.1 200 OK\r\netag: "one"\r\n\r\n');
    arrival.connection.send(file.subarray(0, 200_000));
    await writeFile(ballast, Buffer.alloc(400_000));
    arrival.connection.send(file.subarray(200_000));
    arrival.connection.socket.end();
    expect(await fetching).toMatchObject({
      kind: 'retry-later',
      sentence: expect.stringContaining(`The disk of the folder ${disk.path} is full`),
    });
    expect((await statfs(disk.path)).bfree).toBe(0);
    await rm(ballast);
    const again = bench.fetch({ partFile });
    const rest = await scripted.redirected();
    expect(rangeStart(rest)).toBeGreaterThan(200_000);
    expect(rest.head.toLowerCase()).toContain('if-range: "one"');
    sendRemainingFile(rest, file);
    expect(requireSaved(await again).sha256).toBe(sha256(file));
  });

  test('other than that of the data folder gets a complete copy', async () => {
    using disk = openSmallDisk(4096);
    await using scripted = await startScriptedFetch();
    const folder = join(disk.path, 'videos');
    const file = await film(MEGABYTE);
    const saved = requireSaved(await fetchWhole(scripted, file, { folder }));
    expect((await readFile(saved.path)).equals(file)).toBe(true);
    expect(await readdir(folder)).toEqual(['A boat.mp4']);
    expect(await readdir(dirname(scripted.bench.plan.partFile))).toEqual([]);
  });

  test('other than that of the data folder, without space, leaves the video where it is', async () => {
    using disk = openSmallDisk(512);
    await using scripted = await startScriptedFetch();
    const { bench } = scripted;
    const folder = join(disk.path, 'videos');
    const file = await film(MEGABYTE);
    expect(await fetchWhole(scripted, file, { folder })).toMatchObject({ kind: 'retry-later' });
    expect(await readdir(folder)).toEqual([]);
    expect(requireSaved(await bench.fetch()).sha256).toBe(sha256(file));
    expect(scripted.media.arrivals).toHaveLength(1);
  });

  test('that is read-only is reported', async () => {
    using disk = openSmallDisk(1024);
    await using scripted = await startScriptedFetch();
    disk.makeReadOnly();
    const file = await film(MEGABYTE);
    expect(await fetchWhole(scripted, file, { folder: disk.path })).toMatchObject({
      kind: 'retry-later',
      sentence: expect.stringContaining(`may not write to the folder ${disk.path} (EROFS)`),
    });
    const partFile = join(disk.path, 'one');
    expect(await scripted.bench.fetch({ partFile })).toMatchObject({
      kind: 'retry-later',
      sentence: expect.stringContaining('EROFS'),
    });
  });
});
