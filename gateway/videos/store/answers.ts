import type { VideoAnswer, VideoId } from '../../../shared/video.ts';
import type { Statement, Store } from '../../store/store.ts';
import type { Reply } from '../service/types.ts';

/** An answer of the service as it came, to be kept with its job. */
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
/** Polls that are kept of one job: those that brought something new, the latest. */
const MAX_POLLS = 100;

const INSERT =
  'insert into video_answer (job_id, stage, at, last_at, times, status, text) values (?, ?, ?, ?, 1, ?, ?)';
const REPEAT = 'update video_answer set times = times + 1, last_at = ? where seq = ?';
const FORGET = `delete from video_answer where job_id = ? and stage = 'poll' and seq <= (
  select seq from video_answer where job_id = ? and stage = 'poll' order by seq desc limit 1 offset ${MAX_POLLS})`;

/** Oldest first. */
export async function listAnswers({ db }: Store, id: VideoId): Promise<VideoAnswer[]> {
  const rows = await db
    .selectFrom('video_answer')
    .select(['stage', 'at', 'last_at', 'times', 'status', 'text'])
    .where('job_id', '=', id)
    .orderBy('seq')
    .execute();
  return rows.map(({ last_at: lastAt, ...row }) => ({ ...row, lastAt }));
}

/** Polls that a reason is looked for in: what the service said before, too, is none. */
const MAX_PRECEDING = 10;

/** The latest good answers that show the task, the newest first; the one to the order shows it, too. */
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

/** Keeps an answer; one that repeats the latest is counted. */
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
