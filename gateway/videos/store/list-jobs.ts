import { type RawBuilder, sql } from 'kysely';
import {
  type VideoFilter,
  type VideoId,
  type VideoPage,
  VideoState,
} from '../../../shared/video/video.ts';
import type { Job } from '../transitions/job.ts';
import type { JobRepository } from './job-repository.ts';
import { foldCase, type JobRow } from './row.ts';
import type { VideoPageQuery } from '../types.ts';

/** The jobs of one page, and whether more follow. */
export interface JobPage {
  readonly jobs: readonly Job[];
  readonly more: boolean;
}

type Condition = RawBuilder<boolean>;

/** Lists the waiting jobs in their order, then the others, newest first. An unknown `after` gives an empty last page. */
export async function listJobs(repository: JobRepository, query: VideoPageQuery): Promise<JobPage> {
  const { filter, after } = query;
  let anchor: Anchor | null | undefined =
    after === undefined ? null : await findAnchor(repository, after);
  const jobs: Job[] = [];
  // One row more than the page shows whether there is a next page. Damaged rows are skipped.
  while (jobs.length <= query.limit && anchor !== undefined) {
    const limit = query.limit + 1 - jobs.length;
    const rows = await findRowsAfter(repository, filter, { anchor, limit });
    jobs.push(...repository.read(rows));
    anchor = rows.length < limit ? undefined : rows.at(-1);
  }
  return { jobs: jobs.slice(0, query.limit), more: jobs.length > query.limit };
}

async function findRowsAfter(
  repository: JobRepository,
  filter: VideoFilter,
  { anchor, limit }: PageSlice,
): Promise<readonly JobRow[]> {
  const waiting =
    anchor === null || anchor.state === 'waiting'
      ? await findWaitingRows(repository, filter, { anchor, limit })
      : [];
  const remaining = limit - waiting.length;
  const others =
    remaining === 0
      ? []
      : await findOtherRows(repository, filter, {
          anchor: anchor?.state === 'waiting' ? null : anchor,
          limit: remaining,
        });
  return [...waiting, ...others];
}

/** Counts the jobs in each state. */
export async function countStates({ store: { db } }: JobRepository): Promise<VideoPage['counts']> {
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

interface PageSlice {
  readonly anchor: Anchor | null;
  readonly limit: number;
}

async function findAnchor(
  { store: { db } }: JobRepository,
  id: VideoId,
): Promise<Anchor | undefined> {
  return await db
    .selectFrom('video_job')
    .select(['id', 'state', 'position', 'created_at'])
    .where('id', '=', id)
    .executeTakeFirst();
}

async function findWaitingRows(
  repository: JobRepository,
  filter: VideoFilter,
  { anchor, limit }: PageSlice,
) {
  if (filter.states !== undefined && !filter.states.includes('waiting')) return [];
  const after: Condition =
    anchor === null ? sql`1` : sql`(position, id) > (${anchor.position}, ${anchor.id})`;
  const { rows } = await sql<JobRow>`select * from video_job
    where state = 'waiting' and ${matchesText(filter)} and ${after}
    order by position, id limit ${limit}`.execute(repository.store.db);
  return rows;
}

async function findOtherRows(
  repository: JobRepository,
  filter: VideoFilter,
  { anchor, limit }: PageSlice,
) {
  const states = (filter.states ?? VideoState.options).filter((state) => state !== 'waiting');
  if (states.length === 0) return [];
  const within: Condition =
    filter.states === undefined ? sql`state <> 'waiting'` : sql`state in (${sql.join(states)})`;
  const after: Condition =
    anchor === null ? sql`1` : sql`(created_at, id) < (${anchor.created_at}, ${anchor.id})`;
  const { rows } = await sql<JobRow>`select * from video_job
    where ${within} and ${matchesText(filter)} and ${after}
    order by created_at desc, id desc limit ${limit}`.execute(repository.store.db);
  return rows;
}

function matchesText({ text }: VideoFilter): Condition {
  const words = foldCase(text ?? '')
    .split(/\s+/u)
    .filter((word) => word !== '');
  if (words.length === 0) return sql`1`;
  return sql.join(
    words.map((word) => sql`instr(words, ${word}) > 0`),
    sql` and `,
  );
}
