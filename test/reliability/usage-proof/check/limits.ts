import { DatabaseSync } from 'node:sqlite';
import type { Allowed } from '../limit-log.ts';

/** How a limit held in one run of the gateway. */
export interface LimitFinding extends Pick<
  Allowed,
  'name' | 'measure' | 'amount' | 'shortfall' | 'atOnce'
> {
  /** Use beyond the amount on its day, or in its run; 0 when it is within. */
  readonly excess: number;
}

const USED = {
  money: 'coalesce(cost, 0)',
  tokens: 'coalesce(usage_input, 0) + coalesce(usage_output, 0)',
  requests: '1',
};
const DAY_MS = 86_400_000;

/**
 * Compares limits per day and per run with the rows, once those of a killed gateway are recovered. A recovered row has an estimate. Where
 * the request had been settled right before the kill, the settled use counts; where it was in flight, the estimate of the row may be more
 * than what was reserved. Days are those of UTC.
 */
export function checkLimits(file: string, limits: readonly Allowed[]): readonly LimitFinding[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return limits.map((limit) => checkLimit(db, limit));
  } finally {
    db.close();
  }
}

function checkLimit(
  db: DatabaseSync,
  { clientId, run, killed, settled, name, measure, amount, atOnce, ...limit }: Allowed,
): LimitFinding {
  const rows = db
    .prepare(
      `select ${USED[measure]} as used, started_at, error_code from exchange where client_id = ?1 and cost_source is not null
        and (?2 is null or run = ?2)`,
    )
    .all(clientId, run);
  const [takeSettled, takeKilled] = [settled, killed].map(toTaker);
  const days = new Map<number, number>();
  let { shortfall } = limit;
  for (const row of rows) {
    const at = Number(row['started_at']);
    const used = Number(row['used']);
    const isRecovered = row['error_code'] === 'gateway_stopped';
    const known = isRecovered ? takeSettled?.(at) : undefined;
    const reserved = isRecovered && known === undefined ? takeKilled?.(at) : undefined;
    if (reserved !== undefined) shortfall += Math.max(0, used - reserved);
    const day = run === null ? Math.floor(at / DAY_MS) : 0;
    days.set(day, (days.get(day) ?? 0) + (known ?? used));
  }
  const excess = Math.max(0, ...[...days.values()].map((used) => used - amount));
  return { name, measure, amount, shortfall, atOnce, excess };
}

/** Returns a function that takes one of the amounts at a time. */
function toTaker(amounts: ReadonlyMap<number, readonly number[]>) {
  const left = new Map([...amounts].map(([at, all]) => [at, [...all]]));
  return (at: number) => left.get(at)?.pop();
}
