/** What a video says whose order may have left after the copy that it was restored from. */
const PROBLEM =
  'This video comes from a copy of the database: whether it was ordered after the copy was made is not known.';

/**
 * Makes every video unsure that would be ordered by itself, or after an answer of a person. In a database that is older than what was done with it, nobody
 * can know whether it was ordered since: only a person may order it again.
 */
export const HOLD_ORDERS_STATEMENT = `
  update video_job set
    state = 'unsure', due_at = null, planned_at = null, rev = rev + 1,
    data = json_set(data, '$.charged', 'maybe', '$.orders', max(1, coalesce(data ->> '$.orders', 0)), '$.problem', '${PROBLEM}')
  where json_valid(data) and (
    state in ('waiting', 'uploading', 'submitting')
    or (state = 'needs-answer' and task_id is null and ordered_at is null)
  )`;
