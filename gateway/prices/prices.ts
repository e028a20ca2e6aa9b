import { z } from 'zod';
import { foldCase } from '../../shared/fold-case.ts';
import { matchesPattern, splitPattern } from '../../shared/name-pattern.ts';
import {
  findSamePrice,
  isSamePrice,
  NewPrice,
  type Price,
  type PricedUse,
  PriceTier,
  Prices,
} from '../../shared/money/price.ts';
import type { Usage } from '../../shared/exchange/usage.ts';
import type { Cost } from '../../shared/money/cost.ts';
import { NotFoundError, UserError } from '../errors.ts';
import type { Log } from '../host.ts';
import { Emitter } from '../lib/emitter.ts';
import { tryParseJson } from '../lib/json-object.ts';
import type { SqlValue, Store } from '../store/store.ts';
import {
  type CostFacts,
  costOf,
  type ExpectedRequest,
  hasTextPrice,
  hasVideoPrice,
  toAnswered,
} from './cost.ts';
import { findSandboxPrice, withPlayPrices } from './sandbox-prices.ts';

export { PLAY_PRICES } from './sandbox-prices.ts';
export { isPaid, mayBeCharged, toVideoLength } from './cost.ts';
export type { CostFacts } from './cost.ts';
export { createPriceUploads, MAX_PRICE_FILE, type PriceUploads } from './uploads.ts';

export interface PriceBookOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly log: Log;
}

/** The prices by which the cost of an exchange is computed. */
export interface PriceBook {
  /** Lists the prices in use, by model. */
  list(): readonly Price[];
  /**
   * Finds the price of a model at a service, at a Unix time in milliseconds, in memory; `null` when there is none. A price of the
   * service precedes one of every service, a whole id precedes a pattern, a longer pattern a shorter one, a later date an earlier one.
   * The sandbox has play prices for what there is no other.
   */
  find(service: string | null, model: string, at: number): Price | null;
  /** Returns whether a text of a model has a price then, or a video of this resolution. */
  hasPrice(of: PricedUse): boolean;
  /** Returns whether a model has a price now that was set at a Unix time in milliseconds, `at`, or later. */
  hasPriceSince(of: Pick<PricedUse, 'service' | 'model' | 'at'>): boolean;
  /** Returns the cost of an exchange; `null` when there is nothing to pay. */
  costOf(facts: CostFacts): Cost | null;
  /** Returns what a request would cost with this usage if it were answered, in millionths; `null` where that is not known. */
  expectCost(request: ExpectedRequest, usage: Usage): number | null;
  /** Adds prices, all or none; each replaces one for the same service, model and date. @throws UserError */
  add(prices: readonly NewPrice[]): Promise<void>;
  /**
   * Sets a price unless another one than `replaces` is in use for the same service, model and date. Returns that one then, and `null`
   * when the price is set. @throws UserError
   */
  set(price: NewPrice, replaces: number | null): Promise<Price | null>;
  /** Removes a price from use; costs that it decided keep their amount. @throws NotFoundError */
  remove(id: number): Promise<void>;
  /** Reads the prices again after another process changed them. */
  reload(): Promise<void>;
  /** Calls the listener when prices were changed. Returns a function that removes the listener. */
  on(listener: () => void): () => void;
}

/** More than the lists of all providers have together. */
const MAX_PRICES = 20_000;
/** A price has no longer model, and comparing a longer one takes long. */
const MAX_MODEL_LENGTH = 256;
/** Models whose prices are remembered. */
const MAX_KNOWN = 1_000;

/** Opens the prices of a store. A damaged one is left out and logged. */
export async function openPriceBook(options: PriceBookOptions): Promise<PriceBook> {
  const book = new StoredPrices(options);
  await book.reload();
  return book;
}

class StoredPrices implements PriceBook {
  readonly #options: PriceBookOptions;
  readonly #listeners = new Emitter();
  #prices: readonly Price[] = [];
  /** The prices of a model at a service, the first that is valid counts. */
  readonly #known = new Map<string, readonly Price[]>();

  constructor(options: PriceBookOptions) {
    this.#options = options;
  }

  list(): readonly Price[] {
    return this.#prices;
  }

  find(service: string | null, model: string, at: number): Price | null {
    if (model.length > MAX_MODEL_LENGTH) return null;
    const key = `${service ?? ''}\n${model}`;
    let candidates = this.#known.get(key);
    if (candidates === undefined) {
      candidates = this.#prices.filter((price) => isFor(price, service, model)).toSorted(compare);
      // A client may name any number of models.
      if (this.#known.size >= MAX_KNOWN) this.#known.clear();
      this.#known.set(key, candidates);
    }
    const own = candidates.find(({ validFrom }) => validFrom <= at);
    return own === undefined
      ? findSandboxPrice(service, model)
      : withPlayPrices(own, service, model);
  }

  hasPrice({ service, model, at, resolution }: PricedUse): boolean {
    const price = this.find(service, model, at);
    return resolution === null ? hasTextPrice(price) : hasVideoPrice(price, resolution);
  }

  hasPriceSince({ service, model, at }: Pick<PricedUse, 'service' | 'model' | 'at'>): boolean {
    const price = this.find(service, model, this.#options.now());
    return price !== null && price.createdAt >= at;
  }

  costOf(facts: CostFacts): Cost | null {
    return costOf(facts, (service, model, at) => this.find(service, model, at));
  }

  expectCost(request: ExpectedRequest, usage: Usage): number | null {
    const cost = this.costOf(toAnswered(request, usage));
    return cost === null ? 0 : cost.amount;
  }

  async add(prices: readonly NewPrice[]): Promise<void> {
    const { store, now } = this.#options;
    // Of several for the same in one list the last counts.
    const parsed = [
      ...new Map(
        this.#parse(prices).map((price) => [
          JSON.stringify([price.service, foldCase(price.model), price.validFrom]),
          price,
        ]),
      ).values(),
    ];
    const at = now();
    await store.write([
      {
        sql: `update price set retired_at = ? where ${PRESENT}`,
        rows: parsed.map((price) => [at, ...toKey(price)]),
      },
      { sql: INSERT, rows: parsed.map((price) => toRow(price, at)) },
    ]);
    await this.reload();
  }

  async set(given: NewPrice, replaces: number | null): Promise<Price | null> {
    const { store, now } = this.#options;
    const [price = given] = this.#parse([given]);
    const row = toRow(price, now());
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await this.reload();
      const present = findSamePrice(this.#prices, price);
      if (present !== null && present.id !== replaces) return present;
      const same = this.#prices.filter((one) => isSamePrice(one, price));
      const isSet = await store.writeIfFirstChanges(
        present === null
          ? [{ sql: INSERT_FIRST, rows: [[...row, ...toKey(price)]] }]
          : [
              { sql: RETIRE, rows: [[now(), present.id]] },
              { sql: RETIRE, rows: same.map(({ id }) => [now(), id]) },
              { sql: INSERT, rows: [row] },
            ],
      );
      if (!isSet) continue;
      await this.reload();
      return null;
    }
    await this.reload();
    const other = findSamePrice(this.#prices, price);
    if (other !== null && other.id !== replaces) return other;
    // What is in the way cannot be read, so nobody can be shown it.
    await this.add([price]);
    return null;
  }

  /** @throws UserError */
  #parse(prices: readonly NewPrice[]): NewPrice[] {
    const parsed = z.array(NewPrice).safeParse(prices);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new UserError(issue?.message ?? 'This is not a price.', String(issue?.path[1] ?? ''));
    }
    if (this.#prices.length + parsed.data.length > MAX_PRICES) {
      throw new UserError(`There may be ${MAX_PRICES} prices. Remove some first.`, null);
    }
    return parsed.data;
  }

  async remove(id: number): Promise<void> {
    const { store, now } = this.#options;
    const isRemoved = await store.writeIfFirstChanges([{ sql: RETIRE, rows: [[now(), id]] }]);
    await this.reload();
    if (!isRemoved) throw new NotFoundError('This price was removed or replaced.');
  }

  async reload(): Promise<void> {
    const rows = await this.#options.store.db
      .selectFrom('price')
      .selectAll()
      .where('retired_at', 'is', null)
      .orderBy('model')
      .orderBy('valid_from', 'desc')
      .orderBy('id', 'desc')
      .execute();
    const prices: Price[] = [];
    for (const row of rows) {
      const price = PriceRow.safeParse({
        ...row,
        prices: tryParseJson(row.prices),
        tiers: tryParseJson(row.tiers),
      });
      if (price.success) prices.push(price.data);
      else this.#options.log('warn', `The price ${row.id} is damaged, so it is not used.`);
    }
    // A price is never edited.
    const isSame =
      prices.length === this.#prices.length &&
      prices.every(({ id }, index) => id === this.#prices[index]?.id);
    if (isSame) return;
    this.#prices = prices;
    this.#known.clear();
    this.#listeners.emit();
  }

  on(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }
}

/** Attempts to set a price while others set it. */
const MAX_ATTEMPTS = 5;
const RETIRE = 'update price set retired_at = ? where id = ? and retired_at is null';
const INSERT =
  'insert into price (service, model, valid_from, prices, tiers, origin, created_at) values (?, ?, ?, ?, ?, ?, ?)';
/** The price in use for a service, a model and a date. */
const PRESENT =
  'retired_at is null and service is ? and model = ? collate nocase and valid_from = ?';
const INSERT_FIRST = `insert into price (service, model, valid_from, prices, tiers, origin, created_at)
  select ?, ?, ?, ?, ?, ?, ? where not exists (select 1 from price where ${PRESENT})`;

function toKey({ service, model, validFrom }: NewPrice): SqlValue[] {
  return [service, model, validFrom];
}

function toRow(price: NewPrice, createdAt: number): SqlValue[] {
  const { prices, tiers, origin } = price;
  return [...toKey(price), JSON.stringify(prices), JSON.stringify(tiers), origin, createdAt];
}

const PriceRow = z
  .object({
    id: z.number(),
    service: z.string().nullable(),
    model: z.string(),
    valid_from: z.number(),
    prices: Prices,
    tiers: z.array(PriceTier),
    origin: z.string(),
    created_at: z.number(),
    retired_at: z.number().nullable(),
  })
  .transform(
    ({ valid_from: validFrom, created_at: createdAt, retired_at: retiredAt, ...rest }): Price => ({
      ...rest,
      validFrom,
      createdAt,
      retiredAt,
    }),
  );

function isFor(price: Price, service: string | null, model: string): boolean {
  return (
    (price.service === null || price.service === service) && matchesPattern(price.model, model)
  );
}

/** Orders prices of one model, the preferred one first. */
function compare(one: Price, other: Price): number {
  return (
    Number(other.service !== null) - Number(one.service !== null) ||
    compareNumbers(specificity(other.model), specificity(one.model)) ||
    other.validFrom - one.validFrom ||
    other.id - one.id
  );
}

/** A whole id precedes every pattern; of patterns the one with the most characters of its own precedes. */
function specificity(pattern: string): number {
  const texts = splitPattern(pattern);
  return texts.length === 1 ? Number.POSITIVE_INFINITY : texts.join('').length;
}

/** Two infinities have no difference. */
function compareNumbers(one: number, other: number): number {
  return one === other ? 0 : one - other;
}
