import { type RawBuilder, sql } from 'kysely';

/** Tells in SQL whether a row of `exchange` is pinned. */
export const IS_PINNED: RawBuilder<boolean> = sql`exists (select 1 from exchange_mark
  where exchange_mark.seq = exchange.seq and exchange_mark.pinned)`;
