import type { VideoId } from '../../../shared/video/video.ts';
import type { Statement } from '../../store/store.ts';

/** Ids of added videos are kept for so long, also of removed ones: longer than a call of the window can take. */
const KEEP_MS = 7 * 24 * 60 * 60_000;

/** Reserves the id of a new video. Changes no row when it was reserved before. */
export function addedStatement(id: VideoId, at: number): Statement {
  return {
    sql: 'insert into video_added (id, at) values (?, ?) on conflict do nothing',
    rows: [[id, at]],
  };
}

/** Deletes the ids of videos that were removed long ago. */
export function deleteOldAddedStatement(at: number): Statement {
  const sql = `delete from video_added where at < ?
    and not exists (select 1 from video_job where video_job.id = video_added.id)`;
  return { sql, rows: [[at - KEEP_MS]] };
}
