import { randomBytes } from 'node:crypto';
import { createVideoId, VIDEO_ID_BYTES, type VideoId } from '../../shared/video.ts';

/** The id of a video that nobody has added yet. */
export function anId(): VideoId {
  return createVideoId(randomBytes(VIDEO_ID_BYTES));
}
