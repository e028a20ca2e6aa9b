import type { Migration } from '../schema.ts';

/** Adds when an order was settled by a clock that cannot be set. Never edited. */
export const orderUptime: Migration = {
  statements: () => ['alter table video_order add column settled_uptime integer'],
};
