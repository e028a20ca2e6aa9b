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
 * Compares limits per day and per run with the rows, once those of a killed gateway are recovered. A recovered row has an estimate, also where the
 * request had been settled right before the kill: then the settled use counts. Days are those of UTC.
 */
export function checkLimits(file: string, limits: readonly Allowed[]): readonly LimitFinding[] {
  const db = new DatabaseSync(file, { readOnly: true });
  try {
    return limits.map(({ clientId, run, settled, ...limit }) => {
      const rows = db
        .prepare(
          `select ${USED[limit.measure]} as used, started_at, error_code from exchange where client_id = ?1 and cost_source is not null
            and (?2 is null or run = ?2)`,
        )
        .all(clientId, run);
      const left = new Map([...settled].map(([at, uses]) => [at, [...uses]]));
      const days = new Map<number, number>();
      for (const row of rows) {
        const at = Number(row['started_at']);
        const known = row['error_code'] === 'gateway_stopped' ? left.get(at)?.pop() : undefined;
        const day = run === null ? Math.floor(at / DAY_MS) : 0;
        days.set(day, (days.get(day) ?? 0) + (known ?? Number(row['used'])));
      }
      const { name, measure, amount, shortfall, atOnce } = limit;
      const excess = Math.max(0, ...[...days.values()].map((used) => used - amount));
      return { name, measure, amount, shortfall, atOnce, excess };
    });
  } finally {
    db.close();
  }
}
