import { z } from 'zod';
import { Limit } from '../../shared/money/limit.ts';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';

/** Reads the limits, oldest first. A damaged one is logged and left out. */
export async function readLimits({ db }: Store, log: Log): Promise<readonly Limit[]> {
  const rows = await db
    .selectFrom('spend_limit')
    .selectAll()
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  const limits: Limit[] = [];
  for (const row of rows) {
    const limit = LimitRow.safeParse(row);
    if (limit.success) limits.push(limit.data);
    else log('warn', `The limit ${row.id} is damaged, so it does not hold.`);
  }
  return limits;
}

const LimitRow = z
  .object({
    id: z.string(),
    client_id: z.string().nullable(),
    measure: z.string(),
    amount: z.number(),
    period: z.string(),
    rolling: z.number(),
    created_at: z.number(),
    suspended_from: z.number().nullable(),
    suspended_until: z.number().nullable(),
    allowed_once_at: z.number().nullable(),
  })
  .transform((row) => ({
    id: row.id,
    clientId: row.client_id,
    measure: row.measure,
    amount: row.amount,
    period: row.period,
    rolling: row.rolling === 1,
    createdAt: row.created_at,
    suspended:
      row.suspended_from === null || row.suspended_until === null
        ? null
        : { from: row.suspended_from, until: row.suspended_until },
    allowedOnceAt: row.allowed_once_at,
  }))
  .pipe(Limit);
