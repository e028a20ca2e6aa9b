import type { Migration } from '../schema.ts';

/** Adds the boot of the machine in which an order was settled, because its uptime counts from there. Never edited. */
export const orderBoot: Migration = {
  statements: () => ['alter table video_order add column settled_boot text'],
};
