import { type NewPrice, NO_PRICES, type Prices } from '../../../shared/money/price.ts';
import { UserError } from '../../errors.ts';
import { listMakers } from '../makers.ts';
import { toTiers } from './litellm.ts';
import {
  isObject,
  type JsonObject,
  PER_MILLION,
  type PriceList,
  readAmount,
  readObject,
  type ReadOptions,
  type TokenPrices,
} from './price-list.ts';

const MEMBERS = {
  input: 'input',
  output: 'output',
  cache_read: 'cacheRead',
  cache_write: 'cacheWrite',
  reasoning: 'reasoning',
} as const satisfies Record<string, keyof Prices>;
/** The threshold of `context_over_200k`, which precedes `tiers` in older lists. */
const OVER = 200_000;

interface Offer {
  readonly provider: string;
  readonly price: NewPrice;
  /** The lowest is taken. */
  readonly rank: number;
}

/**
 * Reads `api.json` of models.dev (US dollars per million tokens). Of the providers of one model it takes the maker of the model, then
 * one that charges for it, then the first. @throws UserError
 */
export function readModelsDev(list: JsonObject, options: ReadOptions): PriceList {
  const offers = new Map<string, Offer>();
  let skipped = 0;
  for (const [provider, entry] of Object.entries(list)) {
    if (options.provider !== null && provider !== options.provider) continue;
    const models = readObject(
      readObject(entry, `"${provider}"`)?.['models'],
      `"${provider}", models`,
    );
    for (const [model, fields] of Object.entries(models ?? {})) {
      const place = `"${provider}", "${model}"`;
      const cost = readObject(readObject(fields, place)?.['cost'], `${place}, cost`);
      const prices = cost === null ? null : readCost(cost, place);
      if (prices === null) {
        skipped += 1;
        continue;
      }
      const { service, validFrom, date } = options;
      const origin = `models.dev, ${date}: ${provider}`.slice(0, 100);
      const price = { service, model, validFrom, origin, ...prices };
      const offer = { provider, price, rank: rankOf(provider, model, price) };
      const known = offers.get(model);
      if (known === undefined || offer.rank < known.rank) offers.set(model, offer);
    }
  }
  const prices = [...offers.values()].map(({ price }) => price);
  return { format: 'models.dev', currency: 'USD', prices, skipped };
}

function rankOf(provider: string, model: string, { prices }: NewPrice): number {
  const maker = listMakers(model).indexOf(provider);
  if (maker !== -1) return maker - MAKER_RANKS;
  return (prices.input ?? 0) + (prices.output ?? 0) > 0 ? 0 : 1;
}

const MAKER_RANKS = 10;

function readCost(cost: JsonObject, place: string): Pick<NewPrice, 'prices' | 'tiers'> | null {
  const prices = { ...NO_PRICES, ...readCard(cost, `${place}, cost`) };
  if (prices.input === null && prices.output === null) return null;
  const overrides = new Map<number, TokenPrices>();
  const over = readObject(cost['context_over_200k'], `${place}, cost.context_over_200k`);
  if (over !== null) overrides.set(OVER, readCard(over, `${place}, cost.context_over_200k`));
  const { tiers } = cost;
  if (Array.isArray(tiers)) {
    tiers.forEach((tier: unknown, index) => {
      const where = `${place}, cost.tiers[${index}]`;
      const threshold = isObject(tier) ? tier['tier'] : null;
      const size = isObject(threshold) ? threshold['size'] : null;
      if (!isObject(tier) || !isObject(threshold) || typeof size !== 'number' || !(size > 0)) {
        throw new UserError(`${where}: the size of the tier is missing.`);
      }
      // Tiers of another type are not chosen by the input.
      if (threshold['type'] === undefined || threshold['type'] === 'context') {
        overrides.set(Math.round(size), readCard(tier, where));
      }
    });
  }
  return { prices, tiers: toTiers(prices, overrides) };
}

function readCard(card: JsonObject, place: string): TokenPrices {
  const found: TokenPrices = {};
  for (const [member, name] of Object.entries(MEMBERS)) {
    const amount = readAmount(card[member], PER_MILLION, `${place}.${member}`);
    if (amount !== null) found[name] = amount;
  }
  return found;
}
