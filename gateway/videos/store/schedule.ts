import { sql } from 'kysely';
import type { VideoId, VideoState } from '../../../shared/video.ts';
import { type Job } from '../transitions/job.ts';
import { ACTIVE_VIDEO_STATES } from '../../../shared/video-states.ts';
import type { JobRepository } from './job-repository.ts';
import type { JobRow } from './row.ts';

/** What may begin now. */
export interface RunnerCapacity {
  /** Unix time in milliseconds. */
  readonly at: number;
  /** Jobs that are being acted for. */
  readonly busy: readonly string[];
  /** States and services that nothing is begun for. */
  readonly states: readonly VideoState[];
  readonly services: readonly string[];
  readonly limit: number;
}

/** Orders on their way are waited for, not begun again. */
const UNATTENDED_STATES = ACTIVE_VIDEO_STATES.filter((state) => state !== 'submitting');

/** A plan made in the future: the clock was set back, and the plan lies too far ahead. */
const isDue = (at: number) => sql<boolean>`(due_at <= ${at} or planned_at > ${at})`;

/** Jobs under way for which something is to be done now, the most urgent first. */
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

/** Jobs whose turn it is, in their order. */
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

/** Every job in these states. */
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

/** Without those that are not there any more. */
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

/** How many of our own jobs are under way, but for those that are stuck: others need not wait for them. */
export async function countOwnActive(repository: JobRepository): Promise<number> {
  const jobs = await findJobsInStates(repository, ACTIVE_VIDEO_STATES);
  return jobs.filter((job) => job.origin !== 'client' && !isStuck(job)).length;
}

const STUCK_TRIES = 3;

/** The service keeps failing at what is free: it has the order, and asking again takes nothing away from others. */
function isStuck({ state, tries }: Job): boolean {
  return (state === 'rendering' || state === 'downloading') && tries >= STUCK_TRIES;
}

/** When the next of the others is due; `null` when none is. `waiting`: whether a waiting one could begin. */
export async function findNextDueTime(
  { store: { db } }: JobRepository,
  room: Omit<RunnerCapacity, 'at' | 'limit'>,
  waiting: boolean,
): Promise<number | null> {
  const states = [...UNATTENDED_STATES, ...(waiting ? (['waiting'] as const) : [])];
  const open = states.filter((state) => !room.states.includes(state));
  if (open.length === 0) return null;
  const row = await db
    .selectFrom('video_job')
    .select(({ fn }) => fn.min<number | null>('due_at').as('at'))
    .where('due_at', 'is not', null)
    .where('state', 'in', open)
    .where('id', 'not in', [...room.busy, ''])
    .where('service', 'not in', [...room.services, ''])
    .executeTakeFirst();
  return row?.at ?? null;
}

/** Never empty, for `not in` needs something. */
function list(texts: readonly string[]) {
  return sql.join(['', ...texts]);
}
