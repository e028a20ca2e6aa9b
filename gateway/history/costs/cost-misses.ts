import { sql } from 'kysely';
import { z } from 'zod';
import { Prices, PriceTier, selectPrices } from '../../../shared/money/price.ts';
import type { CacheMiss, CostedMiss, MissSum, RunStep } from '../../../shared/run/run.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { Store } from '../../store/store.ts';

const MILLION = 1_000_000;

/** Adds what misses of the cache cost, by the price from which the cost of each exchange was computed. The sandbox charges nothing. */
export async function costMisses(
  { db }: Store,
  steps: readonly RunStep[],
  misses: ReadonlyMap<string, CacheMiss>,
): Promise<Record<string, CostedMiss>> {
  const missed = steps.filter(({ id }) => misses.has(id));
  const ids = JSON.stringify(missed.map(({ id }) => id));
  const { rows } =
    missed.length === 0
      ? { rows: [] }
      : await sql<{ id: string; prices: string; tiers: string }>`
          select exchange.id as id, prices, tiers from exchange join price on price.id = price_id
          where exchange.service is not ${SANDBOX_ID}
            and exchange.id in (select value from json_each(${ids}))`.execute(db);
  const prices = new Map(rows.map((row) => [row.id, row]));
  return Object.fromEntries(
    missed.flatMap(({ id, usage }) => {
      const miss = misses.get(id);
      const price = prices.get(id);
      if (miss === undefined) return [];
      return [[id, { ...miss, cost: price === undefined ? null : costOf(miss, usage, price) }]];
    }),
  );
}

/**
 * Returns what lost tokens cost beyond the price of cached input, in millionths. As far as the request wrote to a cache, they were
 * written again. `null` when there is no price for input, or none for cached input.
 */
function costOf(
  { lost }: CacheMiss,
  { input, cacheWrite, cacheWriteHour }: RunStep['usage'],
  price: { readonly prices: string; readonly tiers: string },
): number | null {
  const prices = selectPrices(
    {
      prices: Prices.parse(JSON.parse(price.prices)),
      tiers: z.array(PriceTier).parse(JSON.parse(price.tiers)),
    },
    input ?? 0,
  );
  if (prices.input === null || prices.cacheRead === null) return null;
  const written = Math.min(lost, cacheWrite ?? 0);
  const forHour = Math.min(written, cacheWriteHour ?? 0);
  const write = prices.cacheWrite ?? prices.input;
  const paid =
    (lost - written) * prices.input +
    (written - forHour) * write +
    forHour * (prices.cacheWriteHour ?? write);
  return Math.max(0, Math.round((paid - lost * prices.cacheRead) / MILLION));
}

/** Adds up the misses of a run. */
export function sumMisses(misses: readonly CostedMiss[]): MissSum {
  const known = misses.flatMap(({ cost }) => cost ?? []);
  return {
    times: misses.length,
    lost: misses.reduce((sum, { lost }) => sum + lost, 0),
    cost: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    unpriced: misses.length - known.length,
  };
}
