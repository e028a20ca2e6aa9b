import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { assert, asyncProperty, nat } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLogDamage } from '../../../gateway/store/store.ts';

const PAGE = 4096;
const HEADER = 32;
const FRAME = 24 + PAGE;

let folder: string;
let log: Buffer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-log-'));
  log = await liveLog();
});
afterAll(async () => await rm(folder, { recursive: true, force: true }));

/** Returns a log of a killed process, which was restarted over an older one: old frames follow its last frame. */
async function liveLog(): Promise<Buffer> {
  const file = join(folder, 'live.db');
  const database = new DatabaseSync(file);
  try {
    database.exec('pragma journal_mode = wal; create table note (text)');
    for (let row = 0; row < 40; row += 1) database.exec('insert into note values (zeroblob(2000))');
    database.exec('pragma wal_checkpoint(restart)');
    for (let row = 0; row < 10; row += 1) database.exec('insert into note values (zeroblob(2000))');
    return await readFile(`${file}-wal`);
  } finally {
    database.close();
  }
}

async function damageIn(bytes: Buffer): Promise<string | null> {
  const file = join(folder, 'tried.db');
  await writeFile(`${file}-wal`, bytes);
  return await findLogDamage(file);
}

/** Counts the frames written since the log was restarted: those with the salts of its header. */
function currentFrames(): number {
  let frames = 0;
  const salts = log.subarray(16, 24);
  while (
    log
      .subarray(HEADER + frames * FRAME + 8)
      .subarray(0, 8)
      .equals(salts)
  )
    frames += 1;
  return frames;
}

test('a log that a killed process left is sound, also over an older one', async () => {
  expect(currentFrames()).toBeGreaterThan(10);
  expect(log.length).toBeGreaterThan(HEADER + currentFrames() * FRAME);
  expect(await damageIn(log)).toBeNull();
  expect(await findLogDamage(join(folder, 'absent.db'))).toBeNull();
});

test('a log that was cut off anywhere, as a kill does, is sound', async () => {
  await assert(
    asyncProperty(nat(log.length), async (length) => {
      expect(await damageIn(log.subarray(0, length))).toBeNull();
    }),
    { numRuns: 60 },
  );
});

test('a flipped bit in any frame but the last is found', async () => {
  const summed = (currentFrames() - 1) * FRAME;
  await assert(
    asyncProperty(nat(summed - 1), nat(7), async (offset, bit) => {
      const bytes = Buffer.from(log);
      const at = HEADER + offset;
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << bit), at);
      const frame = Math.floor(offset / FRAME);
      expect(await damageIn(bytes)).toBe(`its log is damaged at byte ${HEADER + frame * FRAME}`);
    }),
    { numRuns: 200 },
  );
});

test('a flipped bit in the head is found', async () => {
  await assert(
    asyncProperty(nat(HEADER * 8 - 1), async (bit) => {
      const bytes = Buffer.from(log);
      const at = Math.floor(bit / 8);
      bytes.writeUInt8(bytes.readUInt8(at) ^ (1 << (bit % 8)), at);
      expect(await damageIn(bytes)).not.toBeNull();
    }),
    { numRuns: 100 },
  );
});

test('a frame that was half-written behind sound ones is no damage', async () => {
  const bytes = Buffer.from(log);
  const start = HEADER + currentFrames() * FRAME;
  log.copy(bytes, start + 8, 16, 24);
  expect(await damageIn(bytes)).toBeNull();
});

test('a wrong frame of a transaction that was never committed is no damage', async () => {
  const bytes = Buffer.from(log);
  const start = HEADER + currentFrames() * FRAME;
  for (const frame of [start, start + FRAME]) {
    log.copy(bytes, frame + 8, 16, 24);
    bytes.writeUInt32BE(0, frame + 4);
  }
  expect(await damageIn(bytes)).toBeNull();
  bytes.writeUInt32BE(9, start + FRAME + 4);
  expect(await damageIn(bytes)).toBe(`its log is damaged at byte ${start}`);
});
