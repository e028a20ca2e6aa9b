import { sql } from 'kysely';
import { z } from 'zod';
import { Prices, PriceTier, selectPrices } from '../../../shared/money/price.ts';
import type {
  CacheCause,
  CacheMiss,
  CostedMiss,
  MissSum,
  RunStep,
} from '../../../shared/run/run.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { Store } from '../../store/store.ts';

const MILLION = 1_000_000;

interface ServiceRow {
  readonly id: string;
  readonly service: string | null;
  readonly prices: string | null;
  readonly tiers: string | null;
}

/** What the misses of a run cost by the ids of their steps, and what they come to. */
interface CostedMisses {
  readonly misses: Record<string, CostedMiss>;
  readonly missed: MissSum;
}

const OTHER_SERVICE: CacheCause = {
  kind: 'service',
  text: 'the request went to another service than the one before, and each has a cache of its own',
};

/**
 * Adds what misses of the cache cost, by the price from which the cost of each exchange was computed, and names another service as the
 * cause. The sandbox charges nothing.
 */
export async function costMisses(
  { db }: Store,
  steps: readonly RunStep[],
  misses: ReadonlyMap<string, CacheMiss>,
): Promise<CostedMisses> {
  const missed = steps.filter(({ id }) => misses.has(id));
  if (missed.length === 0) return { misses: {}, missed: sumMisses([]) };
  const ids = missed.flatMap(({ id, comparison }) => [id, comparison?.with ?? id]);
  const { rows } = await sql<ServiceRow>`
    select exchange.id as id, exchange.service as service, prices, tiers
    from exchange left join price on price.id = price_id
    where exchange.id in (select value from json_each(${JSON.stringify(ids)}))`.execute(db);
  const known = new Map(rows.map((row) => [row.id, row]));
  const found = missed.flatMap(({ id, usage, comparison }) => {
    const miss = misses.get(id);
    if (miss === undefined) return [];
    const { prices = null, tiers = null, service = null } = known.get(id) ?? {};
    const before = known.get(comparison?.with ?? id)?.service ?? service;
    const causes = before === service ? miss.causes : [OTHER_SERVICE];
    const isFree = service === SANDBOX_ID;
    const isPriced = !isFree && prices !== null && tiers !== null;
    const cost = isPriced ? costOf(miss, usage, { prices, tiers }) : null;
    return [{ id, isFree, miss: { ...miss, causes, cost } }];
  });
  return {
    misses: Object.fromEntries(found.map(({ id, miss }) => [id, miss])),
    missed: sumMisses(found),
  };
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
  const forHour = written === 0 ? 0 : (written * (cacheWriteHour ?? 0)) / (cacheWrite ?? 1);
  const write = prices.cacheWrite ?? prices.input;
  const paid =
    (lost - written) * prices.input +
    (written - forHour) * write +
    forHour * (prices.cacheWriteHour ?? write);
  return Math.max(0, Math.round((paid - lost * prices.cacheRead) / MILLION));
}

/** Adds up the misses of a run. Those of the sandbox need no price. */
function sumMisses(
  all: readonly { readonly miss: CostedMiss; readonly isFree: boolean }[],
): MissSum {
  const known = all.flatMap(({ miss }) => miss.cost ?? []);
  return {
    times: all.length,
    lost: all.reduce((sum, { miss }) => sum + miss.lost, 0),
    cost: known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0),
    unpriced: all.filter(({ miss, isFree }) => !isFree && miss.cost === null).length,
  };
}
