import type { VideoId } from '../../../shared/video.ts';
import type { Statement } from '../../store/store.ts';

/** How long the id of a video is known after it was added, also when the video was removed: longer than a call may be on its way. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/** Takes an id for a new video. Changes no row when it was taken before. */
export function addedStatement(id: VideoId, at: number): Statement {
  return {
    sql: 'insert into video_added (id, at) values (?, ?) on conflict do nothing',
    rows: [[id, at]],
  };
}

/** Forgets ids of videos that were removed long ago. */
export function deleteOldAddedStatement(at: number): Statement {
  const sql = `delete from video_added where at < ?
    and not exists (select 1 from video_job where video_job.id = video_added.id)`;
  return { sql, rows: [[at - KEEP_MS]] };
}
