/** Problem shown for a video whose order may have been sent after the copy that it was restored from. */
const PROBLEM =
  'This video comes from a copy of the database: whether it was ordered after the copy was made is not known.';

/**
 * Marks every video as unsure that would otherwise be ordered automatically, or after a person's answer. A restored database
 * does not show whether it was ordered since, so only a person may order it again.
 */
export const HOLD_ORDERS_STATEMENT = `
  update video_job set
    state = 'unsure', due_at = null, planned_at = null, rev = rev + 1,
    data = json_set(data, '$.charged', 'maybe', '$.orders', max(1, coalesce(data ->> '$.orders', 0)), '$.problem', '${PROBLEM}')
  where json_valid(data) and (
    state in ('waiting', 'uploading', 'submitting')
    or (state = 'needs-answer' and task_id is null and ordered_at is null)
  )`;
