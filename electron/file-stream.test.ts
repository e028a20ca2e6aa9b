import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, type ReadStream } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { streamFile } from './file-stream.ts';

const SIZE = 3_000_000;
const bytes = randomBytes(SIZE);
let folder = '';
let path = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-stream-'));
  path = join(folder, 'fox.mp4');
  await writeFile(path, bytes);
});
afterAll(() => rm(folder, { recursive: true }));

const open = () => createReadStream(path);
const closed = (file: ReadStream) => (file.closed ? null : once(file, 'close'));

test('a file arrives whole, and is closed', async () => {
  const file = open();
  const read = await buffer(Readable.fromWeb(streamFile(file, SIZE)));
  expect(read.equals(bytes)).toBe(true);
  await closed(file);
});

test('a page that takes little has little read', async () => {
  const file = open();
  const reader = streamFile(file, SIZE).getReader();
  for (let taken = 0; taken < 3; taken += 1) await reader.read();
  expect(file.bytesRead).toBeLessThanOrEqual(6 * file.readableHighWaterMark);
  await reader.cancel();
  await closed(file);
});

/** Leaves after so many pieces, when one more is under way. */
async function leave(pieces: number): Promise<void> {
  const file = open();
  const reader = streamFile(file, SIZE).getReader();
  for (let taken = 0; taken < pieces; taken += 1) await reader.read();
  const next = reader.read();
  await Promise.all([reader.cancel(), reader.cancel(), closed(file), next]);
}

test('a page that leaves closes the file at any moment, and hears nothing more', async () => {
  await Promise.all(Array.from({ length: 200 }, (_, pieces) => leave(pieces % 60)));
});

test.each(['data', 'end', 'close', 'resume'])(
  'a page may leave in the very event: %s',
  async (event) => {
    const file = open();
    const stream = streamFile(file, SIZE);
    const reader = stream.getReader();
    const left = new Promise<void>((resolve) =>
      file.once(event, () => void reader.cancel().then(resolve)),
    );
    const drain = async (): Promise<void> => {
      while (!(await reader.read()).done);
    };
    await Promise.all([drain(), left, closed(file)]);
  },
);

test('a file that is made shorter while it is read fails, and so does one that cannot be read', async () => {
  const short = join(folder, 'short.mp4');
  await writeFile(short, bytes);
  const file = createReadStream(short);
  const reader = streamFile(file, SIZE).getReader();
  await reader.read();
  await truncate(short, 100);
  const drain = async (): Promise<void> => {
    while (!(await reader.read()).done);
  };
  await expect(drain()).rejects.toThrow('shorter');
  const gone = createReadStream(join(folder, 'gone.mp4'));
  await expect(streamFile(gone, SIZE).getReader().read()).rejects.toThrow('ENOENT');
  await closed(file);
});
