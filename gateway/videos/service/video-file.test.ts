import { mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isCompleteVideo, detectKind } from './video-file.ts';

let folder = '';
let film: Buffer = Buffer.alloc(0);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-film-'));
  film = await readFile(new URL('../../../sandbox/media/clip.mp4', import.meta.url));
});
afterAll(() => rm(folder, { recursive: true }));

async function isWhole(bytes: Buffer, isMeasured = false): Promise<boolean> {
  const path = join(folder, 'film');
  await writeFile(path, bytes);
  await using file = await open(path);
  return await isCompleteVideo(file, bytes.length, isMeasured);
}

function box(type: string, length: number, size = length): Buffer {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32BE(size, 0);
  bytes.write(type, 4, 'latin1');
  return bytes;
}

function endsOfBoxes(bytes: Buffer): ReadonlySet<number> {
  const ends = new Set<number>();
  for (let at = 0; at < bytes.length; ends.add(at)) at += bytes.readUInt32BE(at);
  return ends;
}

describe('a video file', () => {
  it('is complete, and no prefix of it that ends within a box is', async () => {
    expect(await isWhole(film)).toBe(true);
    // A fragmented video that ends with a complete fragment cannot be distinguished from a shorter video.
    const ends = endsOfBoxes(film);
    const lengths = fc.integer({ min: 0, max: film.length - 1 }).filter((at) => !ends.has(at));
    await fc.assert(
      fc.asyncProperty(lengths, async (length) => {
        expect(await isWhole(film.subarray(0, length))).toBe(false);
      }),
    );
  });

  it('may have a large box, and a last one of unknown length', async () => {
    const large = box('mdat', 100, 1);
    large.writeBigUInt64BE(100n, 8);
    expect(await isWhole(Buffer.concat([film, large]))).toBe(true);
    expect(await isWhole(Buffer.concat([film, large.subarray(0, 99)]))).toBe(false);
    expect(await isWhole(Buffer.concat([film, box('mdat', 50, 0)]))).toBe(true);
  });

  it('with a trailing fragment of a box is complete only if that was there from the start', async () => {
    const bytes = Buffer.concat([film, Buffer.alloc(5)]);
    expect(await isWhole(bytes)).toBe(false);
    expect(await isWhole(bytes, true)).toBe(true);
    expect(await isWhole(film.subarray(0, 1000), true)).toBe(false);
  });

  it('must have its metadata box', async () => {
    expect(await isWhole(Buffer.concat([box('ftyp', 20), box('mdat', 100)]), true)).toBe(false);
  });

  it('is checked without an error for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), fc.boolean(), async (bytes, measured) => {
        expect(await isWhole(Buffer.from(bytes), measured)).toBeTypeOf('boolean');
      }),
    );
  });
});

describe('a file', () => {
  it('that begins like a video is one, whatever its type', async () => {
    expect(await detectKind(film.subarray(0, 4100))).toEqual({ type: 'video/mp4', ending: 'mp4' });
  });

  it.each([
    ['', 'nothing at all'],
    ['\n<!DOCTYPE html>', 'a web page'],
    ['<HTML>', 'a web page'],
    ['<?xml version="1.0"?><Error/>', 'an XML document'],
    ['{"error":1}', 'a JSON document'],
    ['video', 'a file that is not a video'],
    ['%PDF-1.7', 'a file of type application/pdf'],
    ['GIF89a', 'a file of type image/gif'],
  ])('that begins like %j is reported as %s', async (text, words) => {
    expect(await detectKind(Buffer.from(text))).toBe(words);
  });

  it('has a type or a description for any bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (bytes) => {
        expect(await detectKind(bytes)).toBeTruthy();
      }),
    );
  });
});
