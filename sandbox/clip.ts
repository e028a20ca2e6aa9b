import { readFile } from 'node:fs/promises';

/**
 * Creates an MP4 of exactly `seconds` (1 to 60): the head of the stored clip with its durations rewritten, then as many fragments.
 * Boxes as in ISO/IEC 14496-12.
 */
export async function createClip(seconds: number): Promise<Buffer> {
  const clip = await readFile(new URL('./media/clip.mp4', import.meta.url));
  const boxes = readBoxes(clip);
  const first = boxes.findIndex(({ type }) => type === 'moof');
  // A fragment is a `moof` and the `mdat` after it.
  const fragments = boxes.slice(first, first + seconds * 2);
  const head = Buffer.from(clip.subarray(0, fragments[0]?.from));
  writeDurations(head, seconds);
  return Buffer.concat([head, clip.subarray(fragments[0]?.from, fragments.at(-1)?.to)]);
}

interface Box {
  readonly type: string;
  readonly from: number;
  readonly to: number;
}

function readBoxes(bytes: Buffer, from = 0, end = bytes.length): readonly Box[] {
  const boxes: Box[] = [];
  for (let at = from; at < end; at = boxes.at(-1)?.to ?? end) {
    const type = bytes.toString('latin1', at + 4, at + 8);
    boxes.push({ type, from: at, to: at + bytes.readUInt32BE(at) });
  }
  return boxes;
}

const HEADER_BYTES = 8;
const CONTAINERS = ['moov', 'trak', 'mdia'];
// Offsets in version 0 of each box, from its start.
const MOVIE_TIMESCALE = 20;
const MOVIE_DURATION = 24;
const TRACK_DURATION = 28;
const MEDIA_TIMESCALE = 20;
const MEDIA_DURATION = 24;

/** Writes the durations into the head. A fragmented file has 0 there, so players that do not read ahead would show no length. */
function writeDurations(head: Buffer, seconds: number): void {
  const boxes = allBoxes(head, readBoxes(head));
  const movie = boxes.find(({ type }) => type === 'mvhd')?.from ?? 0;
  const movieDuration = seconds * head.readUInt32BE(movie + MOVIE_TIMESCALE);
  head.writeUInt32BE(movieDuration, movie + MOVIE_DURATION);
  for (const { type, from } of boxes) {
    if (type === 'tkhd') head.writeUInt32BE(movieDuration, from + TRACK_DURATION);
    if (type === 'mdhd') {
      head.writeUInt32BE(
        seconds * head.readUInt32BE(from + MEDIA_TIMESCALE),
        from + MEDIA_DURATION,
      );
    }
  }
}

function allBoxes(bytes: Buffer, boxes: readonly Box[]): readonly Box[] {
  return boxes.flatMap((box) =>
    CONTAINERS.includes(box.type)
      ? [box, ...allBoxes(bytes, readBoxes(bytes, box.from + HEADER_BYTES, box.to))]
      : [box],
  );
}
