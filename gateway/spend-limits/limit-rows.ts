import { z } from 'zod';
import { Limit, type LimitException } from '../../shared/money/limit.ts';
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

/** A limit without exceptions. */
type LimitDraft = Omit<Limit, 'suspended' | 'allowedOnceAt'>;

/** Inserts a limit in the place of one of the same kind. */
export async function insertLimit(
  store: Store,
  { id, clientId, measure, period, rolling, amount, createdAt }: LimitDraft,
): Promise<void> {
  const same = [clientId, measure, period, rolling ? 1 : 0];
  await store.write([
    {
      sql: 'delete from spend_limit where client_id is ? and measure = ? and period = ? and rolling = ?',
      rows: [same],
    },
    {
      sql: 'insert into spend_limit (id, client_id, measure, period, rolling, amount, created_at) values (?, ?, ?, ?, ?, ?, ?)',
      rows: [[id, ...same, amount, createdAt]],
    },
  ]);
}

/** Returns whether the limit is there still. */
export async function changeLimitAmount(
  store: Store,
  id: string,
  amount: number,
): Promise<boolean> {
  const sql = 'update spend_limit set amount = ? where id = ?';
  return await store.writeIfFirstChanges([{ sql, rows: [[amount, id]] }]);
}

/** Writes an exception from a limit that is granted at a Unix time in milliseconds. Returns whether the limit is there still. */
export async function writeException(
  store: Store,
  id: string,
  { exception, at }: { readonly exception: LimitException; readonly at: number },
): Promise<boolean> {
  const [once, from, until] =
    exception === 'hour'
      ? [null, at, at + HOUR_MS]
      : [exception === 'once' ? at : null, null, null];
  const sql =
    'update spend_limit set allowed_once_at = ?, suspended_from = ?, suspended_until = ? where id = ?';
  return await store.writeIfFirstChanges([{ sql, rows: [[once, from, until, id]] }]);
}

/** Returns whether there was such a limit. */
export async function deleteLimit(store: Store, id: string): Promise<boolean> {
  const sql = 'delete from spend_limit where id = ?';
  return await store.writeIfFirstChanges([{ sql, rows: [[id]] }]);
}

const HOUR_MS = 3_600_000;

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
