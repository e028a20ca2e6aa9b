import type { VideoDetail } from '../../../shared/video/video.ts';
import { CommandError, UsageError } from '../../errors.ts';
import type { CommandRepositories } from '../../with-repositories.ts';

/** Finds the job whose id begins with this text. @throws CommandError, UsageError */
export async function findVideo(
  { videos }: CommandRepositories,
  text: string,
): Promise<VideoDetail> {
  if (!/^[\w-]{1,64}$/u.test(text)) {
    throw new UsageError('The id of a video has letters and digits; its beginning is enough.');
  }
  const [id, other] = await videos.findIdsByPrefix(text.toLowerCase());
  if (id === undefined) {
    throw new CommandError(`There is no video whose id begins with ${text}.`);
  }
  if (other !== undefined) {
    throw new CommandError(`Several ids begin with ${text}. Give more characters.`);
  }
  return await videos.get(id);
}
