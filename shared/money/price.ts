import { z } from 'zod';
import { foldCase } from '../fold-case.ts';

/** The highest price per unit, in millionths: what is above it is a mistake, and sums stay exact. */
export const MAX_PRICE = 1e12;

/** A price in millionths of the currency; `null` where the unit has no price of its own. */
const Micros = z.number().int().nonnegative().max(MAX_PRICE).nullable();

/** The prices of one card. Those of tokens are per million tokens. */
export const Prices = z.object({
  input: Micros,
  output: Micros,
  /** `null`: as input. */
  cacheRead: Micros,
  /** `null`: as input. */
  cacheWrite: Micros,
  /** Writes that the service keeps for an hour. `null`: as other cache writes. */
  cacheWriteHour: Micros,
  /** `null`: as output. */
  reasoning: Micros,
  /** For each request that is answered. */
  request: Micros,
  /** For each image in a request. Versions before did not have it. */
  image: Micros.default(null),
  /** For each second of a video, by resolution; `*` for every other one. */
  videoSecond: z.record(z.string().min(1).max(40), z.number().int().nonnegative().max(MAX_PRICE)),
});
export type Prices = z.infer<typeof Prices>;

export const NO_PRICES: Prices = {
  input: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  cacheWriteHour: null,
  reasoning: null,
  request: null,
  image: null,
  videoSecond: {},
};

/** Prices that hold for the whole of a request whose input exceeds `aboveInput` tokens. */
export const PriceTier = z.object({
  aboveInput: z.number().int().positive().max(1e9),
  prices: Prices,
});
export type PriceTier = z.infer<typeof PriceTier>;

/** A price as it is entered or imported. */
export const NewPrice = z.object({
  /** Stable id of the service, as exchanges record it; `null` for every service. */
  service: z.string().max(2_000).nullable(),
  /** A pattern of model ids (`shared/name-pattern.ts`). */
  model: z.string().trim().min(1, 'Enter a model.').max(256, 'A model has at most 256 characters.'),
  /** Unix time in milliseconds from which it holds. */
  validFrom: z.number().int().nonnegative(),
  prices: Prices,
  tiers: z.array(PriceTier).max(8),
  /** Its origin for people: `entered`, or the name and the date of a list. */
  origin: z.string().max(100),
});
export type NewPrice = z.infer<typeof NewPrice>;

/** A price of the book. It is never edited: a change adds another and retires this one, so that costs keep their reason. */
export const Price = NewPrice.extend({
  id: z.number().int(),
  createdAt: z.number().int(),
  /** When it was replaced or removed. */
  retiredAt: z.number().int().nullable(),
});
export type Price = z.infer<typeof Price>;

/** Selects the prices for the whole of a request by the tokens of its input. */
export function selectPrices(
  { prices, tiers }: Pick<NewPrice, 'prices' | 'tiers'>,
  input: number,
): Prices {
  let selected = { aboveInput: 0, prices };
  for (const tier of tiers) {
    if (input > tier.aboveInput && tier.aboveInput >= selected.aboveInput) selected = tier;
  }
  return selected.prices;
}

/** What a price is for: two of them are not in use at once. */
export type PriceKey = Pick<NewPrice, 'service' | 'model' | 'validFrom'>;

/** Returns whether one of two prices replaces the other: they are for the same model, service and time. */
export function isSamePrice(one: PriceKey, other: PriceKey): boolean {
  return (
    foldCase(one.model) === foldCase(other.model) &&
    one.service === other.service &&
    one.validFrom === other.validFrom
  );
}

/**
 * Finds the price in use for a model, a service and a date; `null` when there is none. Earlier versions kept several whose models differ
 * in case: the latest counts.
 */
export function findSamePrice(prices: readonly Price[], key: PriceKey): Price | null {
  const same = prices.filter((one) => isSamePrice(one, key));
  return same.reduce<Price | null>(
    (latest, one) => (latest === null || one.id > latest.id ? one : latest),
    null,
  );
}

/** A use of a model of a service, at a Unix time in milliseconds. */
export interface PricedUse {
  readonly service: string | null;
  readonly model: string;
  readonly at: number;
  /** That of a video; `null` for a text. */
  readonly resolution: string | null;
}
