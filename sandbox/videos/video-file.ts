import { createClip } from '../clip.ts';
import type { VideoOrder } from './tasks.ts';

/** Creates the finished video of an order. A `free` box at its end, which players skip (ISO/IEC 14496-12), holds the id and makes it unique. */
export async function createVideo({ id, seconds }: VideoOrder): Promise<Buffer> {
  const name = Buffer.from(`free${id}`);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(size.length + name.length);
  return Buffer.concat([await createClip(seconds), size, name]);
}
