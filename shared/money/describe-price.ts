import { formatDay } from '../format.ts';
import type { NewPrice, Prices } from './price.ts';

/** Formats a price in full, unlike a cost, which is rounded: `$0.125`, `$3.00`. */
export function formatPrice(micros: number, currency: string): string {
  return new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
    currencyDisplay: 'narrowSymbol',
    minimumFractionDigits: 2,
    maximumFractionDigits: 6,
  }).format(micros / 1e6);
}

const NAMES = {
  input: 'input',
  output: 'output',
  cacheRead: 'cache read',
  cacheWrite: 'cache write',
  cacheWriteHour: 'cache write for an hour',
  reasoning: 'reasoning',
} as const satisfies Partial<Record<keyof Prices, string>>;
type TokenPrice = keyof typeof NAMES;
const TOKENS: readonly TokenPrice[] = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'cacheWriteHour',
  'reasoning',
];

/** Describes the prices of one card for people: `input $3.00, output $15.00 per million tokens; $0.01 per request`. */
export function describePrices(prices: Prices, currency: string): string {
  const tokens = TOKENS.flatMap((name) => {
    const amount = prices[name];
    return amount === null ? [] : [`${NAMES[name]} ${formatPrice(amount, currency)}`];
  });
  const seconds = Object.entries(prices.videoSecond).map(
    ([resolution, amount], _, all) =>
      `${formatPrice(amount, currency)} per second of video${describeResolution(resolution, all.length > 1)}`,
  );
  return [
    ...(tokens.length === 0 ? [] : [`${tokens.join(', ')} per million tokens`]),
    ...(prices.request === null ? [] : [`${formatPrice(prices.request, currency)} per request`]),
    ...(prices.image === null ? [] : [`${formatPrice(prices.image, currency)} per image`]),
    ...seconds,
  ].join('; ');
}

function describeResolution(resolution: string, hasOthers: boolean): string {
  if (resolution !== '*') return ` in ${resolution}`;
  return hasOthers ? ' in any other resolution' : '';
}

/** Describes where a price is from: a list with its date, or a person. */
export function describeOrigin({ origin }: Pick<NewPrice, 'origin'>): string {
  return origin === 'entered' ? 'entered by hand' : origin;
}

/** Describes from when a price holds: `2026-11-21`; `null` when always. */
export function describeValidFrom({ validFrom }: Pick<NewPrice, 'validFrom'>): string | null {
  return validFrom === 0 ? null : formatDay(validFrom);
}
