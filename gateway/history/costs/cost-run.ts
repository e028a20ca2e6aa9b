import { sql } from 'kysely';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { CostSource } from '../../../shared/money/cost.ts';
import type { CostedRun, RunDetail } from '../../../shared/run/run.ts';
import type { Store } from '../../store/store.ts';

interface CostRow {
  readonly id: ExchangeId;
  readonly amount: number | null;
  readonly source: CostSource;
  readonly priceId: number | null;
  readonly service: string | null;
}

/** Adds what the steps of a run cost, and whether the history knows the run of its first one. */
export async function costRun({ db }: Store, run: RunDetail): Promise<CostedRun> {
  const ids = run.sequences.flatMap(({ steps }) => steps.map(({ id }) => id));
  const listed = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  const [costs, first] = await Promise.all([
    sql<CostRow>`select id, cost as amount, cost_source as source, price_id as priceId, service from exchange
      where cost_source is not null and id in ${listed}`.execute(db),
    sql<{ run: string | null }>`select run from exchange
      where id in ${listed} order by started_at limit 1`.execute(db),
  ]);
  return {
    ...run,
    costs: Object.fromEntries(costs.rows.map(({ id, ...cost }) => [id, cost])),
    isInHistory: first.rows[0]?.run === run.run.id,
  };
}
