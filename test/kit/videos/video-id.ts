import { randomBytes } from 'node:crypto';
import { createVideoId, VIDEO_ID_BYTES, type VideoId } from '../../../shared/video/video.ts';

/** Creates the id of a video that does not exist. */
export function anId(): VideoId {
  return createVideoId(randomBytes(VIDEO_ID_BYTES));
}
