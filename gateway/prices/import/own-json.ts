import { z } from 'zod';
import { formatDecimal } from '../../../shared/money/decimal.ts';
import { Currency } from '../../../shared/money/cost.ts';
import { type NewPrice, NO_PRICES, type Prices } from '../../../shared/money/price.ts';
import { parseTime } from '../../../shared/parse-time.ts';
import { UserError } from '../../errors.ts';
import {
  isObject,
  type JsonObject,
  PER_MILLION,
  type PriceList,
  readAmount,
  type ReadOptions,
  showValue,
} from './price-list.ts';

/** Marks a file of Gatehouse. */
const FORMAT = 'gatehouse-prices';
const NAMES = [
  'input',
  'output',
  'cacheRead',
  'cacheWrite',
  'cacheWriteHour',
  'reasoning',
  'request',
  'image',
] as const satisfies readonly (keyof Prices)[];

const File = z.object({
  format: z.literal(FORMAT),
  version: z.literal(1, 'This file is of a later version of Gatehouse.'),
  currency: Currency.nullable().default(null),
  prices: z.array(
    z.object({
      model: z.string().trim().min(1),
      service: z.string().max(2_000).nullable().default(null),
      validFrom: z.string().nullable().default(null),
      origin: z.string().max(100).default(''),
      prices: z.record(z.string(), z.unknown()),
      tiers: z
        .array(
          z.object({
            aboveInput: z.number().int().positive().max(1e9),
            prices: z.record(z.string(), z.unknown()),
          }),
        )
        .default([]),
    }),
  ),
});

/** Writes prices as JSON, with amounts as decimal texts in the currency. {@link readOwnJson} reads the same prices. */
export function writeOwnJson(prices: readonly NewPrice[], currency: string): string {
  const file = {
    format: FORMAT,
    version: 1,
    currency,
    prices: prices.map(({ model, service, validFrom, origin, prices: card, tiers }) => ({
      model,
      service,
      validFrom: validFrom === 0 ? null : new Date(validFrom).toISOString(),
      origin,
      prices: toAmounts(card),
      tiers: tiers.map((tier) => ({ ...tier, prices: toAmounts(tier.prices) })),
    })),
  };
  return `${JSON.stringify(file, null, 2)}\n`;
}

function toAmounts(card: Prices): Record<string, unknown> {
  const amounts = NAMES.flatMap((name) => {
    const amount = card[name];
    return amount === null ? [] : [[name, formatDecimal(amount)] as const];
  });
  const seconds = Object.entries(card.videoSecond).map(
    ([resolution, amount]) => [resolution, formatDecimal(amount)] as const,
  );
  return { ...Object.fromEntries(amounts), videoSecond: Object.fromEntries(seconds) };
}

export function isOwnJson(list: JsonObject): boolean {
  return list['format'] === FORMAT;
}

/** Reads a file of {@link writeOwnJson}. @throws UserError */
export function readOwnJson(list: JsonObject, options: ReadOptions): PriceList {
  const file = File.safeParse(list);
  if (!file.success) {
    const [issue] = file.error.issues;
    throw new UserError(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'This is no price.'}`);
  }
  const prices = file.data.prices.map((entry, index): NewPrice => {
    const place = `prices[${index}] ("${entry.model}")`;
    return {
      service: entry.service ?? options.service,
      model: entry.model,
      validFrom: readTime(entry.validFrom, place) ?? options.validFrom,
      origin: entry.origin === '' ? `Gatehouse, ${options.date}` : entry.origin,
      prices: readCard(entry.prices, place),
      tiers: entry.tiers.map((tier, at) => ({
        aboveInput: tier.aboveInput,
        prices: readCard(tier.prices, `${place}, tiers[${at}]`),
      })),
    };
  });
  return { format: 'gatehouse', currency: file.data.currency, prices, skipped: 0 };
}

function readTime(text: string | null, place: string): number | null {
  if (text === null) return null;
  const time = parseTime(text);
  if (time === null || time.at < 0) {
    throw new UserError(`${place}, validFrom: ${showValue(text)} is no date such as 2026-11-21.`);
  }
  return time.at;
}

function readCard(card: JsonObject, place: string): Prices {
  const amounts = NAMES.map((name) => [name, read(card[name], `${place}, ${name}`)] as const);
  const { videoSecond } = card;
  const seconds = isObject(videoSecond) ? Object.entries(videoSecond) : [];
  const perSecond = seconds.flatMap(([resolution, value]) => {
    const amount = read(value, `${place}, videoSecond.${resolution}`);
    return amount === null ? [] : [[resolution, amount] as const];
  });
  return {
    ...NO_PRICES,
    ...Object.fromEntries(amounts),
    videoSecond: Object.fromEntries(perSecond),
  };
}

function read(value: unknown, place: string): number | null {
  return readAmount(value, PER_MILLION, place);
}
