import type { Migration } from '../schema.ts';

/** Limits an identity to one order: the unique key covers the orders that are in progress, unsure or remembered. Never edited. */
export const orderIdentity: Migration = {
  statements: () => STATEMENTS,
};

/** Adds when an order was settled by a clock that cannot be set. Never edited. */
export const orderUptime: Migration = {
  statements: () => ['alter table video_order add column settled_uptime integer'],
};

/** Adds the boot of the machine in which an order was settled, because its uptime counts from there. Never edited. */
export const orderBoot: Migration = {
  statements: () => ['alter table video_order add column settled_boot text'],
};

const STATEMENTS = [
  // 1 for the order that repeats are compared with; null for a deliberate second order.
  'alter table video_order add column holds integer',
  'alter table video_order add column settled_at integer',
  `update video_order set settled_at = answered_at`,
  `update video_order set holds = 1 where job_id in (
    select job_id from (
      select job_id, row_number() over (partition by hash order by ordered_at desc, job_id desc) as place
      from video_order
    ) where place = 1
  )`,
  'create unique index video_order_by_holder on video_order (hash) where holds = 1',
  // Ids of all videos ever added, including removed ones: a call that arrives twice adds one video.
  `create table video_added (
    id text not null primary key,
    at integer not null
  ) strict, without rowid`,
];
