import { sql } from 'kysely';
import type { VideoId, VideoState } from '../../../shared/video/video.ts';
import { type Job } from '../transitions/job.ts';
import { ACTIVE_VIDEO_STATES } from '../../../shared/video/video-states.ts';
import type { JobRepository } from './job-repository.ts';
import type { JobRow } from './row.ts';

/** Capacity of the runner at this moment. */
export interface RunnerCapacity {
  /** Unix time in milliseconds. */
  readonly at: number;
  /** Jobs with an action in progress. */
  readonly busy: readonly string[];
  /** States and services for which nothing is started. */
  readonly states: readonly VideoState[];
  readonly services: readonly string[];
  readonly limit: number;
}

/** States that can be started. An order that is being sent is awaited and never started again. */
const UNATTENDED_STATES = ACTIVE_VIDEO_STATES.filter((state) => state !== 'submitting');

/** Matches plans that were made in the future: the clock was set back, and the plan is too far ahead. */
const isDue = (at: number) => sql<boolean>`(due_at <= ${at} or planned_at > ${at})`;

/** Finds the active jobs that are due, the most urgent first. */
export async function findDueJobs(
  repository: JobRepository,
  capacity: RunnerCapacity,
): Promise<Job[]> {
  const states = UNATTENDED_STATES.filter((state) => !capacity.states.includes(state));
  if (capacity.limit <= 0 || states.length === 0) return [];
  const { rows } = await sql<JobRow>`select * from video_job
    where due_at is not null and ${isDue(capacity.at)} and state in (${sql.join(states)})
      and id not in (${list(capacity.busy)}) and service not in (${list(capacity.services)})
    order by due_at limit ${capacity.limit}`.execute(repository.store.db);
  return repository.read(rows);
}

/** Finds the next waiting jobs, in their order. */
export async function findNextWaiting(
  repository: JobRepository,
  capacity: RunnerCapacity,
): Promise<Job[]> {
  if (capacity.limit <= 0) return [];
  const { rows } = await sql<JobRow>`select * from video_job
    where state = 'waiting' and due_at is not null and ${isDue(capacity.at)}
      and id not in (${list(capacity.busy)}) and service not in (${list(capacity.services)})
    order by position, id limit ${capacity.limit}`.execute(repository.store.db);
  return repository.read(rows);
}

/** Finds all jobs in these states. */
export async function findJobsInStates(
  repository: JobRepository,
  states: readonly VideoState[],
): Promise<Job[]> {
  const { db } = repository.store;
  const rows = await db
    .selectFrom('video_job')
    .selectAll()
    .where('state', 'in', [...states])
    .execute();
  return repository.read(rows);
}

/** Finds the states of jobs. Deleted jobs are left out. */
export async function findStates(
  { store: { db } }: JobRepository,
  ids: readonly VideoId[],
): Promise<ReadonlyMap<string, VideoState>> {
  const rows = await db
    .selectFrom('video_job')
    .select(['id', 'state'])
    .where('id', 'in', [...ids])
    .execute();
  return new Map(rows.map(({ id, state }) => [id, state]));
}

/** Counts our own active jobs, without those that are stuck, for which others need not wait. */
export async function countOwnActive(repository: JobRepository): Promise<number> {
  const jobs = await findJobsInStates(repository, ACTIVE_VIDEO_STATES);
  return jobs.filter((job) => job.origin !== 'client' && !isStuck(job)).length;
}

const STUCK_TRIES = 3;

/** Matches jobs whose free requests keep failing. */
function isStuck({ state, tries }: Job): boolean {
  return (state === 'rendering' || state === 'downloading') && tries >= STUCK_TRIES;
}

/** Finds when the next job is due; `null` when none is. `waiting`: whether a waiting job could start. */
export async function findNextDueTime(
  { store: { db } }: JobRepository,
  capacity: Omit<RunnerCapacity, 'at' | 'limit'>,
  waiting: boolean,
): Promise<number | null> {
  const states = [...UNATTENDED_STATES, ...(waiting ? (['waiting'] as const) : [])];
  const open = states.filter((state) => !capacity.states.includes(state));
  if (open.length === 0) return null;
  const row = await db
    .selectFrom('video_job')
    .select(({ fn }) => fn.min<number | null>('due_at').as('at'))
    .where('due_at', 'is not', null)
    .where('state', 'in', open)
    .where('id', 'not in', [...capacity.busy, ''])
    .where('service', 'not in', [...capacity.services, ''])
    .executeTakeFirst();
  return row?.at ?? null;
}

/** Returns a list that is never empty, because `not in ()` is no SQL. */
function list(texts: readonly string[]) {
  return sql.join(['', ...texts]);
}
