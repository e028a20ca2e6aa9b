import type { VideoAnswer, VideoId } from '../../../shared/video/video.ts';
import type { Statement, Store } from '../../store/store.ts';
import type { Reply } from '../service/types.ts';

/** An answer of the service that is stored with its job. */
export type NewAnswer = Pick<VideoAnswer, 'stage' | 'at' | 'status' | 'text'>;

/** The text of an answer and its status; `null` when no answer came and the text says why. */
export interface AnswerText {
  readonly status: number | null;
  readonly text: string;
}

export function toAnswerText(reply: Reply): AnswerText {
  return reply.kind === 'answer' ? reply : { status: null, text: reply.sentence };
}

const MAX_TEXT = 64 * 1024;
/** Maximum of polls that are kept of one job. */
const MAX_POLLS = 100;

const INSERT =
  'insert into video_answer (job_id, stage, at, last_at, times, status, text) values (?, ?, ?, ?, 1, ?, ?)';
const REPEAT = 'update video_answer set times = times + 1, last_at = ? where seq = ?';
const FORGET = `delete from video_answer where job_id = ? and stage = 'poll' and seq <= (
  select seq from video_answer where job_id = ? and stage = 'poll' order by seq desc limit 1 offset ${MAX_POLLS})`;

/** Lists the answers about a job, oldest first. */
export async function listAnswers({ db }: Store, id: VideoId): Promise<VideoAnswer[]> {
  const rows = await db
    .selectFrom('video_answer')
    .select(['stage', 'at', 'last_at', 'times', 'status', 'text'])
    .where('job_id', '=', id)
    .orderBy('seq')
    .execute();
  return rows.map(({ last_at: lastAt, ...row }) => ({ ...row, lastAt }));
}

/** Number of earlier answers that a reason for a failure is compared with. */
const MAX_PRECEDING = 10;

/** Lists the texts of the latest successful answers that show the task, newest first. */
export async function listLatestRecords({ db }: Store, id: VideoId): Promise<string[]> {
  const rows = await db
    .selectFrom('video_answer')
    .select('text')
    .where('job_id', '=', id)
    .where('stage', 'in', ['submit', 'identify', 'poll'])
    .where('status', '>=', 200)
    .where('status', '<=', 299)
    .orderBy('seq', 'desc')
    .limit(MAX_PRECEDING)
    .execute();
  return rows.map(({ text }) => text);
}

/** Creates the statements that save an answer. One that repeats the latest is counted. */
export async function answerStatements(
  { db }: Store,
  id: VideoId,
  answer: NewAnswer,
): Promise<readonly Statement[]> {
  const text = answer.text.slice(0, MAX_TEXT);
  const latest = await db
    .selectFrom('video_answer')
    .select(['seq', 'stage', 'status', 'text'])
    .where('job_id', '=', id)
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const { stage, at, status } = answer;
  if (latest?.stage === stage && latest.status === status && latest.text === text) {
    return [{ sql: REPEAT, rows: [[at, latest.seq]] }];
  }
  return [
    { sql: INSERT, rows: [[id, stage, at, at, status, text]] },
    { sql: FORGET, rows: [[id, id]] },
  ];
}
