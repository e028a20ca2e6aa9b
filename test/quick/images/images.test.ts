import { mkdtemp, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Images, openImages } from '../../../gateway/images/images.ts';
import { MAX_IMAGE_BYTES } from '../../../shared/image.ts';
import { canMount, openSmallDisk } from '../../kit/disk/small-disk.ts';
import { sha256 } from '../../kit/videos/video-service-test-bed.ts';

const HOUR = 60 * 60 * 1000;

interface ImagesFolder extends AsyncDisposable {
  readonly images: Images;
  readonly dataDir: string;
  readonly clock: { now: number };
  /** Lists the names in the folder of the images. */
  names(): Promise<string[]>;
}

async function openImagesFolder(): Promise<ImagesFolder> {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-images-'));
  const clock = { now: Date.now() };
  return {
    images: openImages({
      folder: join(dataDir, 'videos', 'images'),
      host: { now: () => clock.now, randomBytes },
    }),
    dataDir,
    clock,
    names: async () => (await readdir(join(dataDir, 'videos', 'images'))).toSorted(),
    [Symbol.asyncDispose]: () => rm(dataDir, { recursive: true, force: true }),
  };
}

/** The first bytes of each type. A TIFF continues with its directory, here an empty one. */
const HEADS = {
  'image/png': '89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000012c49444154',
  'image/jpeg': 'ffd8ffe000104a46494600',
  'image/webp': '524946461a00000057454250565038',
  'image/gif': '474946383961',
  'image/avif': '0000001c6674797061766966000000006d696631',
  'image/heic': '0000001c6674797068656963000000006d696631',
  'image/bmp': '424d46000000',
  'image/tiff': '49492a0008000000000000000000',
};

function picture(type: keyof typeof HEADS = 'image/png', bytes = 300): Buffer {
  return Buffer.concat([Buffer.from(HEADS[type], 'hex'), randomBytes(bytes)]);
}

async function upload(images: Images, bytes: Buffer, name = 'fox.png') {
  const id = await images.begin({ name, bytes: bytes.length });
  for (let at = 0; at < bytes.length; at += 100)
    await images.append(id, bytes.subarray(at, at + 100));
  return await images.finish(id);
}

const TYPES = Object.keys(HEADS).filter((type): type is keyof typeof HEADS => type in HEADS);

describe('An image', () => {
  test.each(TYPES)('of type %s is stored under its hash, with its name', async (type) => {
    await using imagesFolder = await openImagesFolder();
    const bytes = picture(type);
    const image = await upload(imagesFolder.images, bytes, 'Mein Fuchs.jpg');
    const hash = sha256(bytes);
    expect(image).toEqual({ hash, name: 'Mein Fuchs.jpg', type, bytes: bytes.length });
    const found = await imagesFolder.images.find(hash);
    expect(found).toEqual({ path: found?.path, name: 'Mein Fuchs.jpg', type, bytes: bytes.length });
    expect((await readFile(found?.path ?? '')).equals(bytes)).toBe(true);
    expect(await imagesFolder.names()).toHaveLength(2);
  });

  test('that is uploaded twice is stored once, under its latest name', async () => {
    await using imagesFolder = await openImagesFolder();
    const bytes = picture();
    await upload(imagesFolder.images, bytes, 'one.png');
    const { hash } = await upload(imagesFolder.images, bytes, 'C:\\pictures\\two.png');
    expect(await imagesFolder.images.find(hash)).toMatchObject({ name: 'two.png' });
    expect(await imagesFolder.names()).toHaveLength(2);
  });

  test('of this disk is stored as a copy', async () => {
    await using imagesFolder = await openImagesFolder();
    const bytes = picture('image/jpeg', 200_000);
    const path = join(imagesFolder.dataDir, 'fox');
    await writeFile(path, bytes);
    const image = await imagesFolder.images.importFile(path);
    expect(image).toMatchObject({ name: 'fox', type: 'image/jpeg', hash: sha256(bytes) });
    await rm(path);
    expect(await imagesFolder.images.find(image.hash)).toMatchObject({ bytes: bytes.length });
  });

  test('whose chunks are sent all at once is assembled in order', async () => {
    await using imagesFolder = await openImagesFolder();
    const bytes = picture('image/png', 5000);
    const id = await imagesFolder.images.begin({ name: 'x', bytes: bytes.length });
    const pieces = Array.from({ length: 60 }, (_, index) =>
      bytes.subarray(index * 100, index * 100 + 100),
    );
    await Promise.all(pieces.map((piece) => imagesFolder.images.append(id, piece)));
    expect((await imagesFolder.images.finish(id)).hash).toBe(sha256(bytes));
  });

  test('is recognised by its content after any number of other marker segments', async () => {
    await using imagesFolder = await openImagesFolder();
    const [head, end] = [picture().subarray(0, 33), picture().subarray(33)];
    const profile = Buffer.concat([Buffer.from('0000271069434350', 'hex'), randomBytes(10_004)]);
    const image = await upload(imagesFolder.images, Buffer.concat([head, profile, end]));
    expect(image.type).toBe('image/png');
  });

  test('that was never stored is not found', async () => {
    await using imagesFolder = await openImagesFolder();
    expect(await imagesFolder.images.find('0'.repeat(64))).toBeNull();
    const { hash } = await upload(imagesFolder.images, picture());
    const path = (await imagesFolder.images.find(hash))?.path ?? '';
    await rm(path);
    expect(await imagesFolder.images.find(hash)).toBeNull();
    await writeFile(path, 'x');
    await writeFile(path.replace('.png', '.json'), '{');
    expect(await imagesFolder.images.find(hash)).toBeNull();
  });
});

describe('Nothing is stored', () => {
  test.each([
    ['a page', Buffer.from('<html>'), 'This is not an image.'],
    ['a video', Buffer.from('000000206674797069736f6d', 'hex'), 'This is video/mp4.'],
    ['a PDF', Buffer.from('%PDF-1.7'), 'This is application/pdf.'],
  ])('of an invalid image: %s', async (_name, bytes, words) => {
    await using imagesFolder = await openImagesFolder();
    await expect(upload(imagesFolder.images, bytes)).rejects.toMatchObject({
      name: 'UserError',
      field: 'image',
      message: expect.stringContaining(words),
    });
    expect(await imagesFolder.names()).toEqual([]);
  });

  test('of an incomplete upload, or of more bytes than announced', async () => {
    await using imagesFolder = await openImagesFolder();
    const { images } = imagesFolder;
    const bytes = picture();
    const short = await images.begin({ name: 'x', bytes: bytes.length + 1 });
    await images.append(short, bytes);
    await expect(images.finish(short)).rejects.toThrow('arrived incomplete');
    await expect(images.finish(short)).rejects.toMatchObject({ name: 'NotFoundError' });
    const long = await images.begin({ name: 'x', bytes: bytes.length - 1 });
    await expect(images.append(long, bytes)).rejects.toThrow('larger than announced');
    await expect(images.append(long, bytes)).rejects.toMatchObject({ name: 'NotFoundError' });
    expect(await imagesFolder.names()).toEqual([]);
  });

  test('of an empty or too large upload', async () => {
    await using imagesFolder = await openImagesFolder();
    const { images, dataDir } = imagesFolder;
    const bytes = MAX_IMAGE_BYTES + 1;
    await expect(images.begin({ name: 'x', bytes })).rejects.toThrow('at most 64 MiB');
    await expect(images.begin({ name: 'x', bytes: 0 })).rejects.toThrow('empty');
    const path = join(dataDir, 'large');
    await writeFile(path, picture());
    await truncate(path, bytes);
    await expect(images.importFile(path)).rejects.toThrow('at most 64 MiB');
  });

  test('of a path that is not a file', async () => {
    await using imagesFolder = await openImagesFolder();
    const { images, dataDir } = imagesFolder;
    await expect(images.importFile(dataDir)).rejects.toThrow('is not a file');
    await expect(images.importFile(join(dataDir, 'none'))).rejects.toThrow(
      `The file ${join(dataDir, 'none')} does not exist.`,
    );
  });

  test('of abandoned uploads, including those of a process that has ended', async () => {
    await using imagesFolder = await openImagesFolder();
    const { images, clock } = imagesFolder;
    const bytes = picture();
    const left = await images.begin({ name: 'x', bytes: bytes.length });
    await images.append(left, bytes);
    const folder = join(imagesFolder.dataDir, 'videos', 'images');
    const old = new Date(clock.now - 2 * HOUR);
    await writeFile(join(folder, 'old.part'), 'x');
    await utimes(join(folder, 'old.part'), old, old);
    await writeFile(join(folder, 'somebody else.part'), 'x');
    await images.begin({ name: 'y', bytes: 1 });
    expect(await imagesFolder.names()).toEqual([`${left}.part`, 'somebody else.part']);
    clock.now += 2 * HOUR;
    await images.begin({ name: 'z', bytes: 1 });
    expect(await imagesFolder.names()).toEqual([]);
    await expect(images.finish(left)).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  test('of the chunks after a failed one', async () => {
    await using imagesFolder = await openImagesFolder();
    const { images } = imagesFolder;
    const id = await images.begin({ name: 'x', bytes: 10 });
    const pieces = [Buffer.alloc(11), Buffer.alloc(5), Buffer.alloc(5)];
    const outcomes = await Promise.allSettled(pieces.map((piece) => images.append(id, piece)));
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await imagesFolder.names()).toEqual([]);
  });

  test('of more than sixteen simultaneous uploads', async () => {
    await using imagesFolder = await openImagesFolder();
    const begin = () => imagesFolder.images.begin({ name: 'x', bytes: 10 });
    await Promise.all(Array.from({ length: 16 }, begin));
    await expect(begin()).rejects.toThrow('16 images are already being uploaded');
  });
});

test('an unused image is deleted a week after it was last chosen', async () => {
  await using imagesFolder = await openImagesFolder();
  const { images, clock } = imagesFolder;
  const used = await upload(images, picture());
  const unused = await upload(images, picture());
  const chosenAgain = picture();
  const chosen = await upload(images, chosenAgain);
  const weekAgo = (clock.now - 7 * 24 * HOUR - 1000) / 1000;
  for (const name of await imagesFolder.names()) {
    await utimes(join(imagesFolder.dataDir, 'videos', 'images', name), weekAgo, weekAgo);
  }
  await upload(images, chosenAgain);
  const young = await upload(images, picture());
  await images.removeUnused(new Set([used.hash]));
  const hashes = [used, chosen, young].map(({ hash }) => hash);
  expect(await imagesFolder.names()).toEqual(
    hashes.flatMap((hash) => [`${hash}.json`, `${hash}.png`]).toSorted(),
  );
  expect(await images.find(unused.hash)).toBeNull();
});

test('an unusable folder is reported in a sentence', async () => {
  await using imagesFolder = await openImagesFolder();
  await writeFile(join(imagesFolder.dataDir, 'videos'), 'in the way');
  await expect(imagesFolder.images.begin({ name: 'x', bytes: 1 })).rejects.toMatchObject({
    name: 'UserError',
    message: expect.stringContaining('is not a folder'),
  });
});

test.runIf(canMount())(
  'a full disk is reported in a sentence, and the image can be sent again',
  async () => {
    using disk = openSmallDisk(256);
    const images = openImages({
      folder: join(disk.path, 'videos', 'images'),
      host: { now: Date.now, randomBytes },
    });
    const bytes = picture('image/png', 300_000);
    const id = await images.begin({ name: 'x', bytes: bytes.length });
    await expect(images.append(id, bytes)).rejects.toMatchObject({
      name: 'UserError',
      message: expect.stringMatching(
        /^The image could not be saved\. The disk of the folder .* is full/,
      ),
    });
    expect(await readdir(join(disk.path, 'videos', 'images'))).toEqual([]);
    const small = picture();
    expect((await upload(images, small)).hash).toBe(sha256(small));
  },
);
