import { type RawBuilder, sql } from 'kysely';
import { type VideoFilter, type VideoId, type VideoPage, VideoState } from '../../shared/video.ts';
import type { Job } from './job.ts';
import type { Ledger } from './ledger.ts';
import { foldCase, type JobRow } from './row.ts';
import type { VideoPageAsked } from './videos.ts';

/** Jobs of one page, and whether more follow. */
export interface JobPage {
  readonly jobs: readonly Job[];
  readonly more: boolean;
}

type Condition = RawBuilder<boolean>;

/** Waiting ones first, in their order, then the others, newest first. An unknown `after` gives an empty last page. */
export async function listJobs(ledger: Ledger, asked: VideoPageAsked): Promise<JobPage> {
  const { filter, after } = asked;
  let anchor: Anchor | null | undefined =
    after === undefined ? null : await anchorOf(ledger, after);
  const jobs: Job[] = [];
  // One more than asked for tells whether there is a next page. Damaged rows are passed over.
  while (jobs.length <= asked.limit && anchor !== undefined) {
    const limit = asked.limit + 1 - jobs.length;
    const rows = await rowsAfter(ledger, filter, { anchor, limit });
    jobs.push(...ledger.read(rows));
    anchor = rows.length < limit ? undefined : rows.at(-1);
  }
  return { jobs: jobs.slice(0, asked.limit), more: jobs.length > asked.limit };
}

async function rowsAfter(
  ledger: Ledger,
  filter: VideoFilter,
  { anchor, limit }: Part,
): Promise<readonly JobRow[]> {
  const waiting =
    anchor === null || anchor.state === 'waiting'
      ? await waitingRows(ledger, filter, { anchor, limit })
      : [];
  const left = limit - waiting.length;
  const others =
    left === 0
      ? []
      : await otherRows(ledger, filter, {
          anchor: anchor?.state === 'waiting' ? null : anchor,
          limit: left,
        });
  return [...waiting, ...others];
}

/** How many jobs are in each state. */
export async function countStates({ store: { db } }: Ledger): Promise<VideoPage['counts']> {
  const rows = await db
    .selectFrom('video_job')
    .select(({ fn }) => ['state', fn.countAll<number>().as('jobs')])
    .groupBy('state')
    .execute();
  const counts = new Map(rows.map(({ state, jobs }) => [state, jobs]));
  const count = (state: VideoState) => counts.get(state) ?? 0;
  return {
    draft: count('draft'),
    waiting: count('waiting'),
    uploading: count('uploading'),
    submitting: count('submitting'),
    unsure: count('unsure'),
    identifying: count('identifying'),
    'needs-answer': count('needs-answer'),
    rendering: count('rendering'),
    downloading: count('downloading'),
    done: count('done'),
    failed: count('failed'),
    'timed-out': count('timed-out'),
    cancelled: count('cancelled'),
  };
}

type Anchor = Pick<JobRow, 'id' | 'state' | 'position' | 'created_at'>;

interface Part {
  readonly anchor: Anchor | null;
  readonly limit: number;
}

async function anchorOf({ store: { db } }: Ledger, id: VideoId): Promise<Anchor | undefined> {
  return await db
    .selectFrom('video_job')
    .select(['id', 'state', 'position', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function waitingRows(ledger: Ledger, filter: VideoFilter, { anchor, limit }: Part) {
  if (filter.states !== undefined && !filter.states.includes('waiting')) return [];
  const after: Condition =
    anchor === null ? sql`1` : sql`(position, id) > (${anchor.position}, ${anchor.id})`;
  const { rows } = await sql<JobRow>`select * from video_job
    where state = 'waiting' and ${wordsIn(filter)} and ${after}
    order by position, id limit ${limit}`.execute(ledger.store.db);
  return rows;
}

async function otherRows(ledger: Ledger, filter: VideoFilter, { anchor, limit }: Part) {
  const states = (filter.states ?? VideoState.options).filter((state) => state !== 'waiting');
  if (states.length === 0) return [];
  const within: Condition =
    filter.states === undefined ? sql`state <> 'waiting'` : sql`state in (${sql.join(states)})`;
  const after: Condition =
    anchor === null ? sql`1` : sql`(created_at, id) < (${anchor.created_at}, ${anchor.id})`;
  const { rows } = await sql<JobRow>`select * from video_job
    where ${within} and ${wordsIn(filter)} and ${after}
    order by created_at desc, id desc limit ${limit}`.execute(ledger.store.db);
  return rows;
}

function wordsIn({ text }: VideoFilter): Condition {
  const words = foldCase(text ?? '')
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return sql`1`;
  return sql.join(
    words.map((word) => sql`instr(words, ${word}) > 0`),
    sql` and `,
  );
}
