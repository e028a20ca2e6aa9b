import { sql } from 'kysely';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { CostSource } from '../../../shared/money/cost.ts';
import { findCacheMiss, findCacheMisses } from '../../../shared/run/cache-miss.ts';
import type {
  CostedPlace,
  CostedRun,
  ListedRun,
  ListedRunPage,
  RunDetail,
  RunPage,
  StepPlace,
} from '../../../shared/run/run.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { Store } from '../../store/store.ts';
import { costMisses } from './cost-misses.ts';

interface CostRow {
  readonly id: ExchangeId;
  readonly amount: number | null;
  readonly source: CostSource;
  readonly priceId: number | null;
  readonly service: string | null;
}

/** Adds what the steps of a run cost, and whether the history knows the run of its first one. */
export async function costRun(store: Store, run: RunDetail): Promise<CostedRun> {
  const { db } = store;
  const steps = run.sequences.flatMap((sequence) => sequence.steps);
  const ids = steps.map(({ id }) => id);
  const listed = sql`(select value from json_each(${JSON.stringify(ids)}))`;
  const [{ misses, missed }, costs, first] = await Promise.all([
    costMisses(store, steps, findCacheMisses(run.sequences)),
    sql<CostRow>`select id, cost as amount, cost_source as source, price_id as priceId, service from exchange
      where cost_source is not null and id in ${listed}`.execute(db),
    sql<{ run: string | null }>`select run from exchange
      where id in ${listed} order by started_at limit 1`.execute(db),
  ]);
  return {
    ...run,
    misses,
    missed,
    costs: Object.fromEntries(costs.rows.map(({ id, ...cost }) => [id, cost])),
    isInHistory: first.rows[0]?.run === run.run.id,
  };
}

/** Adds whether the cache missed at a step, and what that cost. */
export async function costPlace(
  store: Store,
  { compared, ...place }: StepPlace,
): Promise<CostedPlace> {
  const { step } = place;
  const miss = findCacheMiss(step, compared);
  const found = miss === null ? null : await costMisses(store, [step], new Map([[step.id, miss]]));
  return { ...place, miss: found?.misses[step.id] ?? null };
}

const NO_MONEY: ListedRun['money'] = { cost: null, costEstimated: 0, unpriced: 0, isFree: false };

/** Adds what the runs of a page cost, as far as the history knows their exchanges. */
export async function costRuns({ db }: Store, page: RunPage): Promise<ListedRunPage> {
  const ids = JSON.stringify(page.runs.map(({ id }) => id));
  const { rows } = await sql<{
    run: string;
    isFree: number;
    cost: number | null;
    costEstimated: number;
    unpriced: number;
  }>`select run, service is ${SANDBOX_ID} as isFree, sum(cost) as cost,
      coalesce(sum(times) filter (where cost_source = 'estimated'), 0) as costEstimated,
      coalesce(sum(times) filter (where cost is null), 0) as unpriced
    from exchange where cost_source is not null and run in (select value from json_each(${ids}))
    group by 1, 2 order by 2 desc`.execute(db);
  // What is charged follows what is not, and replaces it.
  const money = new Map(
    rows.map(({ run, isFree, ...sums }) => [run, { ...sums, isFree: isFree === 1 }]),
  );
  const runs = page.runs.map((run) => ({ ...run, money: money.get(run.id) ?? NO_MONEY }));
  return { ...page, runs };
}
