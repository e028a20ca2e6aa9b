import type { ExchangeRecord } from '../../../shared/exchange/exchange.ts';
import { VideoId } from '../../../shared/video/video.ts';
import type { JobRepository } from './job-repository.ts';

/** Path of the status or the content of a video (spec sections 4.7 and 4.8). */
const TASK_PATH = /^\/v1\/videos\/([^/?#]+)/u;
/** An order is on the disk before its exchange begins. */
const BEFORE_MS = 60_000;
/** The times of an order and of its exchange are rounded. */
const ROUNDING_MS = 2;

/** Finds the job that an exchange ordered, checked or downloaded; `null` when it is unknown which. */
export async function findByExchange(
  repository: JobRepository,
  exchange: ExchangeRecord,
): Promise<VideoId | null> {
  const { route } = exchange;
  if (route === 'video-submit') return await findByOrder(repository, exchange);
  const isOfTask = route === 'video-status' || route === 'video-content';
  return isOfTask ? await findByTask(repository, exchange) : null;
}

async function findByTask(
  { store: { db } }: JobRepository,
  { pathSent, pathReceived, service }: ExchangeRecord,
): Promise<VideoId | null> {
  const taskId = decode(TASK_PATH.exec(pathSent ?? pathReceived)?.[1] ?? '');
  const row = await db
    .selectFrom('video_job')
    .select('id')
    .where('task_id', '=', taskId)
    .$if(service !== null, (query) => query.where('service', '=', service ?? ''))
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : VideoId.parse(row.id);
}

async function findByOrder(
  repository: JobRepository,
  { id, startedAt, durationMs }: ExchangeRecord,
): Promise<VideoId | null> {
  const [from, to] = [startedAt - BEFORE_MS, startedAt + durationMs + ROUNDING_MS];
  const rows = await repository.store.db
    .selectFrom('video_job')
    .selectAll()
    .where('ordered_at', '>=', from)
    .where('ordered_at', '<=', to)
    .execute();
  return repository.read(rows).find(({ exchangeId }) => exchangeId === id)?.id ?? null;
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
