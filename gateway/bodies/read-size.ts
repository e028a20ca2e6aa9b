import type { DatabaseSync } from 'node:sqlite';
import type { BodiesSize } from '../../shared/exchange/body.ts';
import type { BodyRequests } from './protocol.ts';

const DAY_MS = 86_400_000;
/** Days of which it is told what keeping bodies for no longer would free. */
const CHOICES = [1, 3, 7, 14, 30, 90];

/** Reads the sizes of the stored bodies. `stored`: bytes on the disk. Takes no content from the disk, only its length. */
export function readSize(
  database: DatabaseSync,
  stored: number,
  { now, clients }: BodyRequests['size']['request'],
): BodiesSize {
  const exchanges = database.prepare('select count(*) as exchanges from exchange').get();
  const sums = database
    .prepare('select coalesce(sum(plain), 0) as plain, total(length(content)) as bytes from frame')
    .get();
  const bytes = Number(sums?.['bytes']);
  // What is deleted takes its part of the indexes with it.
  const share = bytes === 0 ? 0 : stored / bytes;
  const ages = database
    .prepare(
      `select (?1 - newest) / ${DAY_MS} as days, sum(bytes) as bytes from (
         select max(started_at) as newest, length(content) as bytes from exchange join frame on frame.id = exchange.frame
         group by frame.id
         having max(pinned) = 0 and not max(coalesce(client, '') in (select value from json_each(?2))))
       group by 1`,
    )
    .all(now, JSON.stringify(clients));
  const freed = CHOICES.map((days) => {
    const older = ages.filter((age) => Number(age['days']) >= days);
    const sum = older.reduce((total, age) => total + Number(age['bytes']), 0);
    return { days, bytes: Math.round(sum * share) };
  });
  return {
    exchanges: Number(exchanges?.['exchanges']),
    plain: Number(sums?.['plain']),
    stored,
    freed: freed.filter((choice) => choice.bytes > 0),
  };
}
