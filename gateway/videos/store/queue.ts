import type { VideoId } from '../../../shared/video/video.ts';
import { NotFoundError, UserError } from '../../errors.ts';
import type { JobRepository } from './job-repository.ts';

/** Finds the position after all others. */
export async function findNextPosition({ store: { db } }: JobRepository): Promise<number> {
  const row = await db
    .selectFrom('video_job')
    .select(({ fn }) => fn.max<number | null>('position').as('last'))
    .executeTakeFirst();
  return (row?.last ?? 0) + 1;
}

/** Moves a waiting job before another one; `null` moves it to the end. @throws UserError, NotFoundError */
export async function moveInQueue(
  repository: JobRepository,
  id: VideoId,
  before: VideoId | null,
): Promise<void> {
  await repository.store.db.transaction().execute(async (trx) => {
    const rows = await trx
      .selectFrom('video_job')
      .select(['id', 'state', 'position'])
      .where((where) => where.or([where('state', '=', 'waiting'), where('id', '=', id)]))
      .orderBy('position')
      .orderBy('id')
      .execute();
    const moved = rows.find((row) => row.id === id);
    if (moved === undefined) throw new NotFoundError('This video no longer exists.');
    if (moved.state !== 'waiting') throw new UserError('This video is no longer waiting.');
    const others = rows.filter((row) => row.id !== id);
    const place = before === null ? others.length : others.findIndex((row) => row.id === before);
    if (before !== id && place === -1) {
      throw new UserError('The video that it should precede is no longer waiting.');
    }
    const order = before === id ? rows : [...others.slice(0, place), moved, ...others.slice(place)];
    let position = (rows[0]?.position ?? 1) - 1;
    for (const [index, row] of order.entries()) {
      // The set of positions stays the same; equal ones are made different.
      position = Math.max(position + 1, rows[index]?.position ?? 0);
      if (row.position === position) continue;
      await trx
        .updateTable('video_job')
        .set(({ eb }) => ({ position, rev: eb('rev', '+', 1) }))
        .where('id', '=', row.id)
        .execute();
    }
  });
  repository.notify();
}
