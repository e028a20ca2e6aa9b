import { VIDEO_MODEL } from './plan.ts';
import { NO_PRICES, type Prices, type PriceTier } from '../../../shared/money/price.ts';

/** The tokens that a cost is computed from. */
export interface CountedTokens {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cacheWriteHour: number;
  readonly reasoning: number;
  /** Number of images in the request. */
  readonly images: number;
}

/** The prices of one model of the sandbox. */
export interface PriceCard {
  readonly model: string;
  readonly prices: Prices;
  readonly tiers: readonly PriceTier[];
}

const card = (
  model: string,
  prices: Partial<Prices>,
  tiers: readonly PriceTier[] = [],
): PriceCard => ({ model, prices: { ...NO_PRICES, ...prices }, tiers });

const LARGE = {
  input: 1_234_567,
  output: 9_876_543,
  cacheRead: 123_457,
  cacheWrite: 1_543_211,
  image: 4_321,
};

/** Prices that round often. The models `dune/open/dune-7b` and `fjord/Fjord-Vision-2` have none. */
export const PRICE_CARDS: readonly PriceCard[] = [
  card('aurora/aurora-large', LARGE, [
    {
      aboveInput: 40,
      prices: { ...NO_PRICES, ...LARGE, input: 2_469_135, output: 14_814_815, cacheRead: null },
    },
    { aboveInput: 120, prices: { ...NO_PRICES, input: 3_333_333, output: 19_999_999 } },
  ]),
  card('aurora/aurora-small', { input: 250_001, output: 1_000_003 }),
  card('borealis/borealis-chat', { input: 7, output: 999_999, cacheRead: 1, cacheWriteHour: 11 }),
  card('cirrus/cirrus-thinking', {
    input: 3_000_017,
    output: 15_000_013,
    cacheRead: 300_007,
    cacheWrite: 3_750_011,
    cacheWriteHour: 6_000_101,
    reasoning: 22_222_223,
  }),
  card('ember-mini', { input: 100_000, output: 400_000, request: 77 }),
  card('harbor/harbor-strict', { input: 999_999, output: 3_141_593 }),
  card(VIDEO_MODEL, { videoSecond: { '480p': 431, '*': 999_999 }, request: 77 }),
  card('isle/isle-pro', { request: 12_345 }),
];

const MILLION = 1_000_000n;

/** Whether the images in a request change its cost, so that they are counted. */
export function hasImagePrice(model: string): boolean {
  return PRICE_CARDS.some((one) => one.model === model && one.prices.image !== null);
}

/** Returns the cost of a video in millionths. */
export function videoCostBy(seconds: number): bigint {
  const prices = PRICE_CARDS.find(({ model }) => model === VIDEO_MODEL)?.prices;
  return BigInt(seconds) * BigInt(prices?.videoSecond['480p'] ?? 0) + BigInt(prices?.request ?? 0);
}

/** Returns the cost in millionths, computed apart from the gateway; `null` for a model without a price. */
export function costBy(model: string, tokens: CountedTokens): bigint | null {
  const found = PRICE_CARDS.find((one) => one.model === model);
  if (found === undefined) return null;
  const [tier] = found.tiers
    .filter(({ aboveInput }) => tokens.input > aboveInput)
    .toSorted((one, other) => other.aboveInput - one.aboveInput);
  const prices = tier?.prices ?? found.prices;
  const input = BigInt(prices.input ?? 0);
  const output = BigInt(prices.output ?? 0);
  const write = prices.cacheWrite === null ? input : BigInt(prices.cacheWrite);
  const parts: readonly (readonly [count: number, price: bigint])[] = [
    [tokens.input - tokens.cacheRead - tokens.cacheWrite, input],
    [tokens.cacheRead, prices.cacheRead === null ? input : BigInt(prices.cacheRead)],
    [tokens.cacheWrite - tokens.cacheWriteHour, write],
    [tokens.cacheWriteHour, prices.cacheWriteHour === null ? write : BigInt(prices.cacheWriteHour)],
    [tokens.output - tokens.reasoning, output],
    [tokens.reasoning, prices.reasoning === null ? output : BigInt(prices.reasoning)],
  ];
  const scaled = parts.reduce((sum, [count, price]) => sum + BigInt(count) * price, 0n);
  const rounded = scaled / MILLION + (scaled % MILLION >= MILLION / 2n ? 1n : 0n);
  const images = BigInt(tokens.images) * BigInt(prices.image ?? 0);
  return rounded + images + BigInt(prices.request ?? 0);
}
