import { z } from 'zod';
import { VideoId } from '../../../shared/video.ts';
import type { StoredResponse, OrderDecision } from '../../proxy/proxy.ts';
import type { Statement, Store } from '../../store/store.ts';
import type { Job } from '../transitions/job.ts';

/** How long the same order counts as the same once the first one is settled. */
const DUPLICATE_WINDOW_MS = 10 * 60_000;
/** How long a settled order stays in the database. */
const KEEP_MS = 60 * 60_000;

const Headers = z.array(z.string());

/** A time by the machine's clock, and by one that nobody sets. */
export interface Moment {
  /** Unix time in milliseconds. */
  readonly at: number;
  /** As `Host.uptime` gives it, in milliseconds. */
  readonly uptime: number;
  /** `Host.bootId`; `null` where the system does not tell. */
  readonly bootId: string | null;
}

/** An order of a client that is about to leave. */
export interface RegisteringOrder {
  readonly id: VideoId;
  /** Its identity, as `orderHash` makes it. */
  readonly hash: string;
  readonly at: number;
  /** It is meant as a second one: it enters also when another order holds its identity, and holds it only when none does. */
  readonly allowDuplicate: boolean;
}

/** Enters an order. Changes no row when another one holds its identity; the unique key sees to that, also across processes. */
export function registerStatement({ id, hash, at, allowDuplicate }: RegisteringOrder): Statement {
  return allowDuplicate
    ? { sql: ENTER_SECOND, rows: [[id, hash, at, hash]] }
    : { sql: ENTER, rows: [[id, hash, at]] };
}

const ENTER = `insert into video_order (job_id, hash, ordered_at, holds) values (?, ?, ?, 1)
  on conflict (hash) where holds = 1 do nothing`;
const ENTER_SECOND = `insert into video_order (job_id, hash, ordered_at, holds) select ?, ?, ?,
  case when exists (select 1 from video_order where hash = ? and holds = 1) then null else 1 end`;

/** Forgets an order: its identity is free again, or held by the newest order that was meant as a second one. */
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

/** Keeps the answer to an order, which holds its identity from now on. */
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

/** What a change of a client's job means for its order: a person said what became of an unsure one. */
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

/** Nobody knows yet what came of its order. Giving up does not tell. */
function isOpen({ state }: Job): boolean {
  return state === 'submitting' || state === 'unsure' || state === 'cancelled';
}

/** Forgets orders that were settled long ago, and those that a person gave up and removed. */
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

/** The order that holds an identity. */
export interface OriginalOrder {
  readonly id: VideoId;
  readonly orderedAt: number;
  readonly settledAt: number | null;
  readonly settledUptime: number | null;
  readonly settledBoot: string | null;
  /** State of its job; `null` when that was removed. */
  readonly state: Job['state'] | null;
  readonly taskId: string | null;
  readonly answer: StoredResponse | null;
}

/** `null` when none holds it. */
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

/** How an order stands towards the same one that arrives now. `over`: it does not count any more. */
export type RepeatOutcome =
  | Exclude<OrderDecision, { kind: 'send' }>
  | { readonly kind: 'on-its-way' }
  | { readonly kind: 'over' };

export interface Repeat {
  /** Unix time in milliseconds. */
  readonly arrivedAt: number;
  /** As `Host.uptime` gives it now, in milliseconds. */
  readonly uptime: number;
  /** `Host.bootId`; `null` where the system does not tell. */
  readonly bootId: string | null;
  /** It arrived before the order was settled. */
  readonly waited: boolean;
}

/**
 * Says what the same order is answered. A settled one counts for ten minutes; they are over when both clocks say so, as far as
 * they know: the machine's clock may have been set, and the other one begins anew when the machine does. One whose outcome nobody knows counts until a
 * person says what became of it, or gives it up and removes it.
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
  if (answer !== null) return { kind: 'replay', answer, taskId };
  return state === null ? { kind: 'over' } : { kind: 'unknown', orderedAt };
}

/** Milliseconds since an order was settled, by the clock that nobody sets; without end when the machine was started anew since, for then it does not tell. */
function toAge(
  { settledUptime, settledBoot }: OriginalOrder,
  { uptime, bootId }: Pick<Moment, 'uptime' | 'bootId'>,
): number {
  const tells = settledUptime !== null && settledBoot === bootId && settledUptime <= uptime;
  return tells ? uptime - settledUptime : Infinity;
}
