import { expect, test } from 'vitest';
import { createClip } from '../../../sandbox/clip.ts';
import { play, PLAYER_INSTALLED } from '../../kit/process/player.ts';

/** Boxes of an MP4 (ISO/IEC 14496-12) at one level. */
function boxesOf(bytes: Buffer) {
  const boxes: { readonly type: string; readonly body: Buffer }[] = [];
  let at = 0;
  while (at < bytes.length) {
    const size = bytes.readUInt32BE(at);
    if (size < 8 || at + size > bytes.length) throw new Error('A box does not fit.');
    const type = bytes.toString('latin1', at + 4, at + 8);
    boxes.push({ type, body: bytes.subarray(at + 8, at + size) });
    at += size;
  }
  return boxes;
}

function inside(bytes: Buffer, ...path: readonly string[]): Buffer {
  return path.reduce((body, wanted) => {
    const found = boxesOf(body).find(({ type }) => type === wanted);
    if (!found) throw new Error(`There is no ${wanted} box.`);
    return found.body;
  }, bytes);
}

test.for([1, 2, 4, 15, 59, 60])(
  'a clip of %i s has this duration and one fragment per second',
  async (n) => {
    const clip = await createClip(n);
    const types = boxesOf(clip).map(({ type }) => type);
    const fragments = Array.from({ length: n }, () => ['moof', 'mdat']).flat();
    expect(types).toEqual(['ftyp', 'moov', ...fragments]);
    const movie = inside(clip, 'moov', 'mvhd');
    expect(movie.readUInt32BE(16) / movie.readUInt32BE(12)).toBe(n);
    const media = inside(clip, 'moov', 'trak', 'mdia', 'mdhd');
    expect(media.readUInt32BE(16) / media.readUInt32BE(12)).toBe(n);
    const times = boxesOf(clip)
      .filter(({ type }) => type === 'moof')
      .map(({ body }) => inside(body, 'traf', 'tfdt').readBigUInt64BE(4));
    const timescale = BigInt(media.readUInt32BE(12));
    expect(times).toEqual(Array.from({ length: n }, (_, second) => BigInt(second) * timescale));
  },
);

test('the longest clip is small', async () => {
  expect((await createClip(60)).length).toBeLessThan(400_000);
});

test.skipIf(!PLAYER_INSTALLED).for([1, 4, 33, 60])(
  'ffprobe decodes %i s without an error',
  async (n) => {
    const { found, complaints } = play(await createClip(n));
    expect(complaints).toBe('');
    expect(found).toEqual([String(n * 12), `${n}.000000`]);
  },
);
