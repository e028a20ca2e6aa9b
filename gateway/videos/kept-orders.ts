import { z } from 'zod';
import { VideoId } from '../../shared/video.ts';
import type { KeptAnswer, OrderVerdict } from '../proxy/proxy.ts';
import type { Step, Store } from '../store/store.ts';

/** How long the same order counts as the same. */
const SAME_MS = 10 * 60_000;
/** Longer than an order may be on its way. */
const KEEP_MS = 60 * 60_000;

const Headers = z.array(z.string());

/** Notes an order of a client, and forgets old ones. */
export function orderSteps(id: VideoId, hash: string, at: number): readonly Step[] {
  return [
    oldOrdersStep(at),
    {
      sql: 'insert into video_order (job_id, hash, ordered_at) values (?, ?, ?)',
      rows: [[id, hash, at]],
    },
  ];
}

/** Forgets old ones. */
export function oldOrdersStep(at: number): Step {
  return { sql: 'delete from video_order where ordered_at < ?', rows: [[at - KEEP_MS]] };
}

/** Nothing came of it: the same one may leave. */
export function forgetStep(id: VideoId): Step {
  return { sql: 'delete from video_order where job_id = ?', rows: [[id]] };
}

/** Keeps what was answered to it. */
export function answeredStep(id: VideoId, { status, headers, body, at }: KeptAnswer): Step {
  return {
    sql: 'update video_order set status = ?, headers = ?, body = ?, answered_at = ? where job_id = ?',
    rows: [[status, JSON.stringify(headers), body, at, id]],
  };
}

/** The same order a while ago, and what was said to it. */
export type SameOrder = Exclude<OrderVerdict, { kind: 'send' }> & { readonly id: VideoId };

/** `null` when there was none. */
export async function findSame({ db }: Store, hash: string, at: number): Promise<SameOrder | null> {
  const row = await db
    .selectFrom('video_order')
    .leftJoin('video_job', 'video_job.id', 'video_order.job_id')
    .select([
      'job_id',
      'video_job.id',
      'status',
      'headers',
      'body',
      'answered_at',
      'video_order.ordered_at',
      'task_id',
    ])
    .where('hash', '=', hash)
    // Also from the future: the clock was set back, and money is spent twice faster than it is found again.
    .where('video_order.ordered_at', '>', at - SAME_MS)
    .where('video_order.ordered_at', '<', at + SAME_MS)
    .orderBy('video_order.ordered_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { status, headers, body, answered_at: answeredAt } = row;
  const id = VideoId.parse(row.job_id);
  if (status === null || headers === null || body === null || answeredAt === null) {
    // Whoever gave it up and removed it has decided.
    if (row.id === null) return null;
    return { kind: 'unknown', orderedAt: row.ordered_at, id };
  }
  const answer = {
    status,
    headers: Headers.parse(JSON.parse(headers)),
    body: Buffer.from(body),
    at: answeredAt,
  };
  return { kind: 'replay', answer, taskId: row.task_id, id };
}
