import { sql } from 'kysely';
import type { PriceableUse } from '../../../shared/history/usage.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { isInScope, type Store } from '../../store/store.ts';
import { QUARTER_MS, startOfDay } from '../days.ts';
import { addDays } from '../usage/periods.ts';
import type { UsageQuery } from '../usage/usage-report.ts';
import type { PricedUse } from '../../../shared/money/price.ts';
import { RECOSTED } from './recost.ts';

/** A model of a service that had no price when it was used. */
export interface UnpricedUse {
  /** Stable id of the service; empty when it is unknown. */
  readonly service: string;
  readonly model: string;
  /** Number of exchanges without a cost. */
  readonly exchanges: number;
}

const MAX_MODELS = 200;

/** Returns the models of services with exchanges that are unpriced, those with the most first. */
export async function listUnpriced(store: Store): Promise<UnpricedUse[]> {
  return await store.db
    .selectFrom('exchange_sum')
    .where('model', '<>', '')
    .where('unpriced', '>', 0)
    .where(isInScope('services'))
    .groupBy(['service', 'model'])
    .select(({ fn }) => ['service', 'model', fn.sum<number>('unpriced').as('exchanges')])
    .orderBy(({ fn }) => fn.sum('unpriced'), 'desc')
    .orderBy('model')
    .limit(MAX_MODELS)
    .execute();
}

/** Returns the models of services with videos that have no cost, and have a price by now, but none for these videos. `now`: Unix time in milliseconds. */
export async function listUnpricedVideos(
  { db }: Store,
  prices: KnownPrices,
  now: number,
): Promise<UnpricedUse[]> {
  const { rows } = await sql<UnpricedUse & { readonly resolution: string }>`
    select coalesce(service, '') as service, coalesce(model_sent, model_asked, model_served) as model,
      coalesce(video ->> '$.resolution', '') as resolution, sum(times) as exchanges
    from exchange
    where cost_source = 'unpriced' and route = 'video-submit' and video is not null and service is not ${SANDBOX_ID}
      and coalesce(model_sent, model_asked, model_served) is not null
    group by 1, 2, 3 order by 4 desc limit ${MAX_MODELS}`.execute(db);
  const found = new Map<string, UnpricedUse>();
  for (const { service, model, resolution, exchanges } of rows) {
    const of = { service: service === '' ? null : service, model };
    if (prices.find(of.service, model, now) === null) continue;
    if (prices.hasPrice({ ...of, at: now, resolution })) continue;
    const key = `${service}\n${model}`;
    const known = found.get(key)?.exchanges ?? 0;
    found.set(key, { service, model, exchanges: known + exchanges });
  }
  return [...found.values()];
}

/** The prices in use, as far as it matters whether there is one. */
export interface KnownPrices {
  /** Finds a price of a model, whatever it is for; `null` when there is none. `at`: Unix time in milliseconds. */
  find(service: string | null, model: string, at: number): object | null;
  hasPrice(of: PricedUse): boolean;
}

/** Counts the exchanges of services in a period that had no price when they ended, and have one now: their costs can be computed. */
export async function countPriceable(
  { db }: Store,
  { scope, period }: UsageQuery,
  prices: KnownPrices,
): Promise<PriceableUse> {
  const found: PriceableUse = { exchanges: 0, since: null };
  const used = await db
    .selectFrom('exchange_sum')
    .where('unpriced', '>', 0)
    .where('day', '>=', period.since)
    .where('day', '<=', period.until)
    .where(isInScope(scope))
    .groupBy(['service', 'model'])
    .select(({ fn }) => ['service', 'model', fn.min('day').as('first'), fn.max('day').as('last')])
    .execute();
  const priced = used.filter(
    ({ service, model, last }) =>
      prices.find(service === '' ? null : service, model, startOfDay(addDays(last, 1)) - 1) !==
      null,
  );
  if (priced.length === 0) return found;
  // Only these days are read: the totals do not tell an answer without tokens from one without a price.
  const [first = ''] = priced.map((one) => one.first).toSorted();
  const last =
    priced
      .map((one) => one.last)
      .toSorted()
      .at(-1) ?? first;
  const groups = await db
    .selectFrom('exchange')
    .where('started_at', '>=', startOfDay(first))
    .where('started_at', '<', startOfDay(addDays(last, 1)))
    // A parameter would not use the index of these exchanges.
    .where(sql<boolean>`cost_source = 'unpriced'`)
    .where(RECOSTED)
    .where(scope === 'services' ? sql<boolean>`true` : isInScope(scope))
    // A price may hold from any time of a day on.
    .groupBy([
      'service',
      sql`coalesce(model_sent, model_asked, model_served)`,
      sql`video ->> '$.resolution'`,
    ])
    .groupBy(sql`started_at / ${QUARTER_MS}`)
    .select(({ fn }) => ['service', fn.min('started_at').as('at'), fn.sum<number>('times').as('n')])
    .select(sql<string | null>`coalesce(model_sent, model_asked, model_served)`.as('model'))
    .select(sql<string | null>`video ->> '$.resolution'`.as('resolution'))
    .execute();
  return groups
    .filter(({ model, ...of }) => model !== null && prices.hasPrice({ ...of, model }))
    .reduce(
      ({ exchanges, since }, { n, at }) => ({
        exchanges: exchanges + n,
        since: Math.min(since ?? at, at),
      }),
      found,
    );
}
