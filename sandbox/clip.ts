import { readFile } from 'node:fs/promises';

/** An MP4 of exactly so many seconds, 1 to 60. */
export async function clipOf(seconds: number): Promise<Buffer> {
  const whole = await readFile(new URL('./media/clip.mp4', import.meta.url));
  return whole.subarray(0, seconds * whole.length);
}
