import { NO_PRICES, type Price, type Prices } from '../../shared/money/price.ts';
import { matchesPattern } from '../../shared/name-pattern.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';

/** Play prices of the sandbox, the first that matches. Nobody is charged them. */
export const PLAY_PRICES: readonly Price[] = [
  play(-1, 'h3', { videoSecond: { '480p': 50_000, '*': 100_000 } }),
  play(-2, '*/*-small', { input: 250_000, output: 1_000_000, cacheRead: 25_000 }),
  play(-3, 'ember-mini', { input: 100_000, output: 400_000, cacheRead: 10_000 }),
  play(-4, '*', {
    input: 3_000_000,
    output: 15_000_000,
    cacheRead: 300_000,
    cacheWrite: 3_750_000,
    cacheWriteHour: 6_000_000,
  }),
];

function play(id: number, model: string, prices: Partial<Prices>): Price {
  return {
    id,
    service: SANDBOX_ID,
    model,
    validFrom: 0,
    prices: { ...NO_PRICES, ...prices },
    tiers: [],
    origin: 'sandbox, not charged',
    createdAt: 0,
    retiredAt: null,
  };
}

/** Returns a person's price at a service; of the sandbox with the play prices for what it has no amount for, so that all can be tried. */
export function withPlayPrices(price: Price, service: string | null, model: string): Price {
  const missing = findSandboxPrice(service, model)?.prices;
  if (missing === undefined) return price;
  const { prices } = price;
  const isOfTexts = [prices.input, prices.output, prices.request, prices.image].some(
    (amount) => amount !== null,
  );
  const isOfAllVideos = prices.request !== null || Object.hasOwn(prices.videoSecond, '*');
  const { videoSecond } = prices;
  return {
    ...price,
    prices: {
      ...(isOfTexts ? prices : missing),
      videoSecond: isOfAllVideos ? videoSecond : { ...missing.videoSecond, ...videoSecond },
    },
  };
}

/** Finds the play price of a model of the sandbox; `null` at another service. */
export function findSandboxPrice(service: string | null, model: string): Price | null {
  if (service !== SANDBOX_ID) return null;
  return PLAY_PRICES.find((price) => matchesPattern(price.model, model)) ?? null;
}
