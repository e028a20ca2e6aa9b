import { MAX_PRICE, type NewPrice, type Prices } from '../../../shared/money/price.ts';
import { parseDecimal } from '../../../shared/money/decimal.ts';
import { UserError } from '../../errors.ts';

export type PriceListFormat = 'litellm' | 'models.dev' | 'csv' | 'gatehouse';

/** The prices of a file. */
export interface PriceList {
  readonly format: PriceListFormat;
  /** The currency of its amounts; `null` when it does not say. */
  readonly currency: string | null;
  readonly prices: readonly NewPrice[];
  /** Number of its models that have no price which Gatehouse knows. */
  readonly skipped: number;
}

export interface ReadOptions {
  /** Takes the prices of this provider only. */
  readonly provider: string | null;
  /** The service for which prices of a public list hold; `null` for every service. */
  readonly service: string | null;
  /** Time from which prices without a date hold, in Unix milliseconds. */
  readonly validFrom: number;
  /** The date of the file for people, such as `2026-11-21`. */
  readonly date: string;
}

/** Digits by which an amount becomes millionths per million tokens: it is per token or per million tokens, or per one of a kind. */
export const PER_TOKEN = 12;
export const PER_MILLION = 6;
export const PER_ONE = 6;

/** Some prices of tokens. */
export type TokenPrices = Partial<
  Record<Exclude<keyof Prices, 'request' | 'image' | 'videoSecond'>, number>
>;

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Reads an amount of a file; `null` when it is absent, or below zero, by which lists mean “unknown”.
 * `place` says for people where it is.
 * @throws UserError for anything else
 */
export function readAmount(value: unknown, digits: number, place: string): number | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'number' && value < 0) return null;
  // The shortest text of a number is the one that the file has, as far as a number has digits.
  const text = typeof value === 'number' ? String(value) : value;
  const amount = typeof text === 'string' ? parseDecimal(text, digits) : null;
  if (amount === null) {
    throw new UserError(`${place}: ${showValue(value)} is not an amount.`);
  }
  if (amount > MAX_PRICE) throw new UserError(`${place}: ${showValue(value)} is too large.`);
  return amount;
}

const MAX_SHOWN = 40;

/** Shows a value of a file in a message. */
export function showValue(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}

/** Returns a member that is an object; `null` when it is absent. @throws UserError for anything else */
export function readObject(value: unknown, place: string): JsonObject | null {
  if (value === undefined || value === null) return null;
  if (!isObject(value)) throw new UserError(`${place}: ${showValue(value)} is not an object.`);
  return value;
}
