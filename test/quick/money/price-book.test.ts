import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPriceBook } from '../../../gateway/prices/prices.ts';
import { openStore } from '../../../gateway/store/store.ts';
import { type NewPrice, NO_PRICES, type Price } from '../../../shared/money/price.ts';

const silent = () => undefined;

async function openBook(at = 1_000) {
  const dir = await mkdtemp(join(tmpdir(), 'gatehouse-prices-'));
  const store = await openStore(join(dir, 'gatehouse.db'));
  const clock = { now: at };
  const options = { store, now: () => clock.now, log: silent };
  const book = await openPriceBook(options);
  return {
    book,
    store,
    clock,
    openOther: () => openPriceBook(options),
    [Symbol.asyncDispose]: async () => {
      await store.close();
      await rm(dir, { recursive: true });
    },
  };
}

function aPrice(model: string, input: number, fields: Partial<NewPrice> = {}): NewPrice {
  const prices = { ...NO_PRICES, input };
  return { service: null, model, validFrom: 0, prices, tiers: [], origin: 'entered', ...fields };
}

test('the price of the service precedes, then a whole id, a longer pattern, and a later date', async () => {
  await using opened = await openBook();
  const { book } = opened;
  await book.add([
    aPrice('*', 1),
    aPrice('acme/*', 2),
    aPrice('acme/large*', 3),
    aPrice('acme/large', 4),
    aPrice('acme/large', 5, { validFrom: 500 }),
    aPrice('other/*', 6, { service: 'https://a.example' }),
    aPrice('other/x', 7),
  ]);
  const priceOf = (model: string, at = 1_000, service = 'https://b.example') =>
    book.find(service, model, at)?.prices.input;
  expect(priceOf('zed')).toBe(1);
  expect(priceOf('acme/small')).toBe(2);
  expect(priceOf('ACME/Large-2')).toBe(3);
  expect(priceOf('acme/large')).toBe(5);
  expect(priceOf('acme/large', 499)).toBe(4);
  expect(priceOf('other/x')).toBe(7);
  expect(priceOf('other/x', 1_000, 'https://a.example')).toBe(6);
});

const losersOf = (results: readonly (Price | null)[]) =>
  results.filter((result) => result !== null);

test('of several that set a price at the same moment one does, and the others learn of its price', async () => {
  await using opened = await openBook();
  const books = [opened.book, await opened.openOther(), await opened.openOther()];
  const setAll = async (replaces: number | null) =>
    await Promise.all(books.map((book, index) => book.set(aPrice('m', index + 1), replaces)));
  const first = losersOf(await setAll(null));
  await opened.book.reload();
  const [set] = opened.book.list();
  expect(opened.book.list()).toHaveLength(1);
  expect(first).toEqual([set, set]);
  const second = losersOf(await setAll(set?.id ?? 0));
  await opened.book.reload();
  expect(opened.book.list()).toHaveLength(1);
  expect(opened.book.list()).not.toEqual([set]);
  expect(second).toEqual([...opened.book.list(), ...opened.book.list()]);
  // One that was removed meanwhile is not in the way.
  await opened.book.remove(opened.book.list()[0]?.id ?? 0);
  expect(await books[1]?.set(aPrice('m', 9), set?.id ?? 0)).toBeNull();
});

test('a price that is replaced or removed decides nothing more, and a damaged one is left out', async () => {
  await using opened = await openBook();
  const { book, store } = opened;
  await book.add([aPrice('m', 1)]);
  const [before] = book.list();
  await book.add([aPrice('m', 2)]);
  expect(book.list().map(({ prices }) => prices.input)).toEqual([2]);
  await expect(book.remove(before?.id ?? 0)).rejects.toThrow(/removed or replaced/);
  await store.write([
    { sql: "update price set tiers = '[1]' where id = ?", rows: [[book.list()[0]?.id ?? 0]] },
  ]);
  await book.reload();
  expect(book.list()).toEqual([]);
  expect(await book.set(aPrice('m', 3), null)).toBeNull();
  expect(book.list().map(({ prices }) => prices.input)).toEqual([3]);
});

test('prices of models that differ in case are one, and the one that is named is replaced with the others', async () => {
  await using opened = await openBook();
  const { book, store } = opened;
  await book.add([aPrice('oNE', 0), aPrice('One', 1)]);
  expect(book.list().map(({ model }) => model)).toEqual(['One']);
  await book.add([aPrice('ONE', 2)]);
  expect(book.list().map(({ model }) => model)).toEqual(['ONE']);
  // Earlier versions kept both.
  await store.write([{ sql: 'update price set retired_at = null', rows: [[]] }]);
  await book.reload();
  const [earlier, latest] = book.list().toSorted((one, other) => one.id - other.id);
  expect(latest?.model).toBe('ONE');
  expect(await book.set(aPrice('one', 3), earlier?.id ?? 0)).toEqual(latest);
  expect(await book.set(aPrice('one', 3), latest?.id ?? 0)).toBeNull();
  expect(book.list().map(({ model }) => model)).toEqual(['one']);
});

test('two that enter a price for the same model at the same moment leave one of them', async () => {
  await using opened = await openBook();
  const other = await opened.openOther();
  await Promise.all(
    Array.from({ length: 20 }, (_, index) =>
      (index % 2 === 0 ? opened.book : other).add([aPrice('m', index)]),
    ),
  );
  await opened.book.reload();
  expect(opened.book.list()).toHaveLength(1);
});

test('many prices are added all or none, and a bad one names its field', async () => {
  await using opened = await openBook();
  const bad = { ...NO_PRICES, input: -1 };
  await expect(
    opened.book.add([aPrice('m', 1), aPrice('n', 1, { prices: bad })]),
  ).rejects.toThrow();
  expect(opened.book.list()).toEqual([]);
});
