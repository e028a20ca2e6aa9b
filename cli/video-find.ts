import type { VideoDetail } from '../shared/video.ts';
import { CommandFailed, UsageProblem } from './problem.ts';
import type { Rooms } from './rooms.ts';

/** The job whose id begins with this. @throws CommandFailed, UsageProblem */
export async function findVideo({ videos }: Rooms, text: string): Promise<VideoDetail> {
  if (!/^[\w-]{1,64}$/u.test(text)) {
    throw new UsageProblem('The id of a video has letters and digits; its beginning is enough.');
  }
  const [id, other] = await videos.idsFrom(text.toLowerCase());
  if (id === undefined) {
    throw new CommandFailed(`There is no video whose id begins with ${text}.`);
  }
  if (other !== undefined) {
    throw new CommandFailed(`Several ids begin with ${text}. Give more of it.`);
  }
  return await videos.get(id);
}
