import { z } from 'zod';
import { VideoId } from '../../../shared/video/video.ts';
import type { StoredResponse, OrderDecision } from '../../proxy/proxy.ts';
import type { Statement, Store } from '../../store/store.ts';
import type { Job } from '../transitions/job.ts';

/** An equal order counts as a duplicate for so long after the first one is settled. */
const DUPLICATE_WINDOW_MS = 10 * 60_000;
/** A settled order stays in the database for so long. */
const KEEP_MS = 60 * 60_000;

const Headers = z.array(z.string());

/** A moment by the wall clock, and by the uptime, which nobody can set. */
export interface Moment {
  /** Unix time in milliseconds. */
  readonly at: number;
  /** `Host.uptime`, in milliseconds. */
  readonly uptime: number;
  /** `Host.bootId`; `null` where the system has none. */
  readonly bootId: string | null;
}

/** A client's order before it is sent. */
export interface RegisteringOrder {
  readonly id: VideoId;
  /** Its identity from `hashOrder`. */
  readonly hash: string;
  readonly at: number;
  /** Whether it may be a duplicate: it is registered also when another order has its identity, and gets the identity only if none has. */
  readonly allowDuplicate: boolean;
}

/** Registers an order. Changes no row when another order has its identity, also across processes, by a unique key. */
export function registerStatement({ id, hash, at, allowDuplicate }: RegisteringOrder): Statement {
  return allowDuplicate
    ? { sql: ENTER_SECOND, rows: [[id, hash, at, hash]] }
    : { sql: ENTER, rows: [[id, hash, at]] };
}

const ENTER = `insert into video_order (job_id, hash, ordered_at, holds) values (?, ?, ?, 1)
  on conflict (hash) where holds = 1 do nothing`;
const ENTER_SECOND = `insert into video_order (job_id, hash, ordered_at, holds) select ?, ?, ?,
  case when exists (select 1 from video_order where hash = ? and holds = 1) then null else 1 end`;

/** Deletes an order. Its identity is free then, or goes to its newest duplicate. */
export function deleteStatements(id: VideoId): readonly Statement[] {
  return [{ sql: 'delete from video_order where job_id = ?', rows: [[id]] }, PROMOTE_NEXT];
}

const PROMOTE_NEXT: Statement = {
  sql: `update video_order as one set holds = 1 where holds is null and not exists (
    select 1 from video_order as other where other.hash = one.hash and (
      other.holds = 1 or (other.ordered_at, other.job_id) > (one.ordered_at, one.job_id)
    )
  )`,
  rows: [[]],
};

/** Saves the answer to an order, which gets its identity. */
export function answeredStatements(
  id: VideoId,
  { status, headers, body, at }: StoredResponse,
  { uptime, bootId }: Moment,
): readonly Statement[] {
  return [
    {
      sql: `update video_order set holds = null where holds = 1 and job_id <> ?
        and hash = (select hash from video_order where job_id = ?)`,
      rows: [[id, id]],
    },
    {
      sql: `update video_order set holds = 1, status = ?, headers = ?, body = ?, answered_at = ?, settled_at = ?,
        settled_uptime = ?, settled_boot = ? where job_id = ?`,
      rows: [[status, JSON.stringify(headers), body, at, at, uptime, bootId, id]],
    },
  ];
}

/** Settles the order of a client's job when a transition makes its outcome known. */
export function settleStatements(
  before: Job,
  after: Job,
  { at, uptime, bootId }: Moment,
): readonly Statement[] {
  if (before.origin !== 'client' || !isOpen(before) || isOpen(after)) return [];
  const sql =
    'update video_order set settled_at = ?, settled_uptime = ?, settled_boot = ? where job_id = ? and settled_at is null';
  return [{ sql, rows: [[at, uptime, bootId, after.id]] }];
}

/** Whether the outcome of its order is unknown. Giving a job up does not make it known. */
function isOpen({ state }: Job): boolean {
  return state === 'submitting' || state === 'unsure' || state === 'cancelled';
}

/** Deletes orders that were settled long ago, and those that a person gave up and removed. */
export function deleteOldStatements({ at, uptime, bootId }: Moment): readonly Statement[] {
  return [
    {
      sql: `delete from video_order where settled_at < ?
        and (settled_uptime is null or settled_boot is not ? or settled_uptime not between ? and ?)`,
      rows: [[at - KEEP_MS, bootId, uptime - KEEP_MS, uptime]],
    },
    {
      sql: `delete from video_order where settled_at is null
        and not exists (select 1 from video_job where id = job_id)`,
      rows: [[]],
    },
    PROMOTE_NEXT,
  ];
}

/** The order that has an identity. */
export interface OriginalOrder {
  readonly id: VideoId;
  readonly orderedAt: number;
  readonly settledAt: number | null;
  readonly settledUptime: number | null;
  readonly settledBoot: string | null;
  /** The state of its job; `null` when the job was removed. */
  readonly state: Job['state'] | null;
  readonly taskId: string | null;
  readonly answer: StoredResponse | null;
}

/** Finds the order that has an identity; `null` when none has. */
export async function findOriginal({ db }: Store, hash: string): Promise<OriginalOrder | null> {
  const row = await db
    .selectFrom('video_order')
    .leftJoin('video_job', 'video_job.id', 'video_order.job_id')
    .select([
      'job_id',
      'status',
      'headers',
      'body',
      'answered_at',
      'settled_at',
      'settled_uptime',
      'settled_boot',
    ])
    .select(['video_order.ordered_at', 'video_job.state', 'task_id'])
    .where('hash', '=', hash)
    .where('holds', '=', 1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { status, headers, body, answered_at: at } = row;
  const isAnswered = status !== null && headers !== null && body !== null && at !== null;
  return {
    id: VideoId.parse(row.job_id),
    orderedAt: row.ordered_at,
    settledAt: row.settled_at,
    settledUptime: row.settled_uptime,
    settledBoot: row.settled_boot,
    state: row.state,
    taskId: row.task_id,
    answer: isAnswered
      ? { status, headers: Headers.parse(JSON.parse(headers)), body: Buffer.from(body), at }
      : null,
  };
}

/** The outcome for a repeated order. `over`: the original does not count any more. */
export type RepeatOutcome =
  | Exclude<OrderDecision, { kind: 'send' }>
  | { readonly kind: 'on-its-way' }
  | { readonly kind: 'over' };

export interface Repeat {
  /** Unix time in milliseconds. */
  readonly arrivedAt: number;
  /** `Host.uptime` now, in milliseconds. */
  readonly uptime: number;
  /** `Host.bootId`; `null` where the system has none. */
  readonly bootId: string | null;
  /** Whether it arrived before the original was settled. */
  readonly waited: boolean;
}

/**
 * Decides how a repeated order is answered. A settled original counts for ten minutes, which are over when both clocks say so: the wall
 * clock may have been set, and the uptime restarts with the machine. An original with an unknown outcome counts until a person decides
 * about it, or gives it up and removes it.
 */
export function judgeRepeat(
  original: OriginalOrder,
  { arrivedAt, waited, ...now }: Repeat,
): RepeatOutcome {
  const { state, orderedAt, settledAt, answer, taskId } = original;
  if (settledAt === null) {
    if (state === null) return { kind: 'over' };
    return state === 'submitting' ? { kind: 'on-its-way' } : { kind: 'unknown', orderedAt };
  }
  if (
    !waited &&
    toAge(original, now) >= DUPLICATE_WINDOW_MS &&
    arrivedAt >= settledAt + DUPLICATE_WINDOW_MS
  )
    return { kind: 'over' };
  if (answer !== null) return { kind: 'repeat', answer, taskId };
  return state === null ? { kind: 'over' } : { kind: 'unknown', orderedAt };
}

/** Returns the milliseconds since an order was settled, by the uptime; `Infinity` when the machine was restarted since. */
function toAge(
  { settledUptime, settledBoot }: OriginalOrder,
  { uptime, bootId }: Pick<Moment, 'uptime' | 'bootId'>,
): number {
  const isComparable = settledUptime !== null && settledBoot === bootId && settledUptime <= uptime;
  return isComparable ? uptime - settledUptime : Infinity;
}
