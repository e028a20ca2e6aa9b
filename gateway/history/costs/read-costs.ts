import { sql } from 'kysely';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { Cost, CostSource } from '../../../shared/money/cost.ts';
import type { Store } from '../../store/store.ts';

interface CostRow {
  readonly id: ExchangeId;
  readonly amount: number | null;
  readonly source: CostSource;
  readonly priceId: number | null;
}

/** Returns what these exchanges cost; those with nothing to pay, and those that are not here, are left out. */
export async function readCosts(
  { db }: Store,
  ids: readonly ExchangeId[],
): Promise<Map<ExchangeId, Cost>> {
  const { rows } =
    await sql<CostRow>`select id, cost as amount, cost_source as source, price_id as priceId from exchange
    where cost_source is not null and id in (select value from json_each(${JSON.stringify(ids)}))`.execute(
      db,
    );
  return new Map(rows.map(({ id, ...cost }) => [id, cost]));
}
