import { createClip } from '../clip.ts';
import type { VideoOrder } from './tasks.ts';

/** The finished video of an order. It differs from every other by the id in a `free` box at its end (ISO/IEC 14496-12), which players skip. */
export async function createVideo({ id, seconds }: VideoOrder): Promise<Buffer> {
  const name = Buffer.from(`free${id}`);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(size.length + name.length);
  return Buffer.concat([await createClip(seconds), size, name]);
}
