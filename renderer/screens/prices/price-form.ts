import { formatDecimal, parseAmount } from '../../../shared/money/decimal.ts';
import {
  isSamePrice,
  type NewPrice,
  NO_PRICES,
  type Price,
  type Prices,
} from '../../../shared/money/price.ts';
import { toPattern } from '../../../shared/name-pattern.ts';
import { parseTime } from '../../../shared/parse-time.ts';
import { formatDay } from '../../../shared/format.ts';

/** The amounts of the form, with their labels. */
export const AMOUNTS = [
  ['input', 'Input'],
  ['output', 'Output'],
  ['cacheRead', 'Read from a cache'],
  ['cacheWrite', 'Written to a cache'],
  ['cacheWriteHour', 'Written for an hour'],
  ['reasoning', 'Reasoning'],
  ['request', 'Each request'],
  ['image', 'Each image in a request'],
] as const;
type AmountName = (typeof AMOUNTS)[number][0];

/** A price as it is typed. */
export interface PriceForm {
  readonly model: string;
  /** Empty for every service. */
  readonly service: string;
  /** A local day such as `2026-11-21`; empty for always. */
  readonly from: string;
  readonly amounts: Readonly<Record<AmountName, string>>;
  /** Each second of a video, such as `480p=0.05 *=0.1`. */
  readonly videoSecond: string;
}

/** A price that a form begins with. `id`: that of the price in use. */
export type EditedPrice = NewPrice & Partial<Pick<Price, 'id'>>;

/** What is wrong with a form, by its field. */
export type PriceFormErrors = Partial<
  Record<AmountName | 'model' | 'from' | 'videoSecond', string>
>;

/** Returns a price of one model alone, with what its present price says, which may be of a pattern; `null`: it has none. */
export function toOwnPrice(model: string, present: Price | null): EditedPrice {
  const own = { model: toPattern(model), origin: 'entered' };
  if (present === null)
    return { service: null, validFrom: 0, prices: NO_PRICES, tiers: [], ...own };
  const { service, validFrom, prices, tiers, id } = present;
  const edited = { service, validFrom, prices, tiers, ...own };
  return isSamePrice(present, edited) ? { ...edited, id } : edited;
}

/** Returns the form that edits a price. */
export function toPriceForm({ model, service, validFrom, prices }: NewPrice): PriceForm {
  const format = (name: AmountName) => {
    const amount = prices[name];
    return amount === null ? '' : formatDecimal(amount);
  };
  return {
    model,
    service: service ?? '',
    from: validFrom === 0 ? '' : formatDay(validFrom),
    amounts: {
      input: format('input'),
      output: format('output'),
      cacheRead: format('cacheRead'),
      cacheWrite: format('cacheWrite'),
      cacheWriteHour: format('cacheWriteHour'),
      reasoning: format('reasoning'),
      request: format('request'),
      image: format('image'),
    },
    videoSecond: formatSeconds(prices.videoSecond),
  };
}

/** Fills what nobody typed in a form from a price that it would replace. `initial`: the form as it was at first. */
export function fillPriceForm(
  form: PriceForm,
  { initial, present }: { readonly initial: PriceForm; readonly present: NewPrice },
): PriceForm {
  const other = toPriceForm(present);
  const amounts = { ...form.amounts };
  for (const [name] of AMOUNTS) {
    const isTyped = amounts[name].trim() !== '' && amounts[name] !== initial.amounts[name];
    if (!isTyped) amounts[name] = other.amounts[name];
  }
  const isTyped = form.videoSecond !== initial.videoSecond;
  const typed = isTyped ? (readSeconds(form.videoSecond) ?? {}) : {};
  return {
    ...form,
    amounts,
    videoSecond: formatSeconds({ ...present.prices.videoSecond, ...typed }),
  };
}

/** Takes out of a form again what was filled in and is as it was filled in. */
export function unfillPriceForm(
  form: PriceForm,
  { before, after }: { readonly before: PriceForm; readonly after: PriceForm },
): PriceForm {
  const amounts = { ...form.amounts };
  for (const [name] of AMOUNTS)
    if (amounts[name] === after.amounts[name]) amounts[name] = before.amounts[name];
  const [now, first, filled] = [form, before, after].map((one) => readSeconds(one.videoSecond));
  if (now == null) return { ...form, amounts };
  const kept = Object.entries(now).filter(([name, amount]) => amount !== filled?.[name]);
  const isChanged = kept.length < Object.keys(now).length;
  const seconds = formatSeconds({ ...(isChanged && first), ...Object.fromEntries(kept) });
  return { ...form, amounts, videoSecond: isChanged ? seconds : form.videoSecond };
}

function formatSeconds(seconds: Prices['videoSecond']): string {
  return Object.entries(seconds)
    .map(([resolution, amount]) => `${resolution}=${formatDecimal(amount)}`)
    .join(' ');
}

/** Reads a form; `before` is the price that it began with, whose tiers and time of the day are kept. */
export function readPriceForm(
  form: PriceForm,
  before: NewPrice,
): { readonly price: NewPrice } | { readonly errors: PriceFormErrors } {
  const errors: PriceFormErrors = {};
  const prices: { -readonly [Name in keyof Prices]: Prices[Name] } = { ...NO_PRICES };
  for (const [name] of AMOUNTS) {
    const text = form.amounts[name].trim();
    prices[name] = text === '' ? null : parseAmount(text);
    if (text !== '' && prices[name] === null) errors[name] = 'Enter an amount such as 3 or 0.25.';
  }
  const seconds = readSeconds(form.videoSecond);
  if (seconds === null)
    errors.videoSecond = 'Enter amounts by resolution, such as 480p=0.05 *=0.1.';
  prices.videoSecond = seconds ?? {};
  const from = form.from === '' ? { at: 0 } : parseTime(form.from);
  if (from === null) errors.from = 'Enter a date such as 2026-11-21.';
  if (form.model.trim() === '') errors.model = 'Enter the id of a model.';
  if (Object.keys(errors).length === 0 && isEmpty(prices)) errors.input = 'Enter an amount.';
  const { input, output } = before.prices;
  const lacksOutput = prices.input !== null && prices.output === null;
  // A suggested price of a model without output has none.
  if (lacksOutput && !(input !== null && output === null))
    errors.output ??= 'Enter an amount, or 0 where output costs nothing.';
  if (Object.keys(errors).length > 0 || from === null) return { errors };
  const isSameDay = toPriceForm(before).from === form.from;
  return {
    price: {
      service: form.service === '' ? null : form.service,
      model: form.model.trim(),
      validFrom: isSameDay ? before.validFrom : Math.max(0, from.at),
      prices,
      tiers: before.tiers,
      origin: 'entered',
    },
  };
}

function isEmpty(prices: Prices): boolean {
  return (
    AMOUNTS.every(([name]) => prices[name] === null) && Object.keys(prices.videoSecond).length === 0
  );
}

function readSeconds(text: string): Prices['videoSecond'] | null {
  const parts = text.split(/[\s,;]+/u).filter((part) => part !== '');
  const seconds: Record<string, number> = {};
  for (const part of parts) {
    const [, resolution, typed = ''] = /^([^=]{1,40})=(.+)$/u.exec(part) ?? [];
    const amount = parseAmount(typed);
    if (resolution === undefined || amount === null) return null;
    seconds[resolution] = amount;
  }
  return seconds;
}
