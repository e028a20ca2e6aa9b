import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { ALL_SERVICES } from '../../kit/history/usage-query.ts';
import { openPriceBook } from '../../../gateway/prices/prices.ts';
import { type NewPrice, NO_PRICES } from '../../../shared/money/price.ts';
import { formatDay } from '../../../shared/format.ts';
import type { RecostProgress } from '../../../shared/money/recost.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { expectAgreement } from '../../kit/history/expect-agreement.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { type HistoryFolder, NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';

const HOUR = 3_600_000;
const TODAY = {
  scope: 'services',
  period: { since: formatDay(NOON), until: formatDay(NOON) },
} as const;
const never = new AbortController().signal;

function price(model: string, input: number, more: Partial<NewPrice> = {}): NewPrice {
  const prices = { ...NO_PRICES, input, output: input };
  return { service: null, model, validFrom: 0, prices, tiers: [], origin: 'entered', ...more };
}

function openBook({ store }: HistoryFolder) {
  return openPriceBook({ store, now: () => NOON, log: () => undefined });
}

/** Computes costs again; a signal that is given may end it early. */
async function recost(
  folder: HistoryFolder,
  {
    since = 0,
    dryRun = false,
    signal = never,
    onProgress = () => undefined,
  }: {
    readonly since?: number;
    readonly dryRun?: boolean;
    readonly signal?: AbortSignal;
    readonly onProgress?: (progress: RecostProgress) => Promise<void> | void;
  } = {},
): Promise<RecostProgress | undefined> {
  const book = await openBook(folder);
  const costOf: Parameters<typeof folder.history.recost>[0]['costOf'] = (exchange) =>
    book.costOf(exchange);
  let latest: RecostProgress | undefined;
  for await (const progress of folder.history.recost({ since, dryRun, signal, costOf })) {
    latest = progress;
    await onProgress(progress);
  }
  return latest;
}

function openOutside(folder: HistoryFolder): DatabaseSync {
  return new DatabaseSync(join(folder.dataDir, 'gatehouse.db'), { timeout: 5_000 });
}

test('a dry run says what changes, changes nothing, and the run does exactly that', async () => {
  await using folder = await openHistoryFolder();
  const unpriced = { cost: { amount: null, source: 'unpriced', priceId: null } };
  const priced = { cost: { amount: 7, source: 'reported', priceId: 99 } };
  await folder.record(
    anExchange('old', { startedAt: NOON - 2 * HOUR, ...unpriced }),
    anExchange('unpriced', unpriced),
    anExchange('priced', priced),
    anExchange('unknown', { usage: UNKNOWN_USAGE, ...unpriced }),
    anExchange('free', { status: null, endedBy: 'client', usage: UNKNOWN_USAGE, cost: null }),
    anExchange('refused', { status: 429, ...priced }),
    anExchange('other', { modelSent: 'other/model', ...priced }),
    anExchange('sandbox', { service: 'sandbox', ...priced }),
    anExchange('video', { route: 'video-submit', ...priced }),
  );
  await (await openBook(folder)).add([price('acme/*', 1_000_000)]);
  const since = NOON - HOUR;
  const planned = await recost(folder, { since, dryRun: true });
  // Unpriced, priced and unknown are of a model with a price: 15 tokens each where they are known.
  expect(planned).toEqual({
    checked: 5,
    changed: 5,
    before: 21,
    after: 30,
    ended: true,
    models: [
      { model: 'acme/large', exchanges: 4, before: 14, after: 30 },
      { model: 'other/model', exchanges: 1, before: 7, after: null },
    ],
    moreModels: 0,
  });
  using outside = openOutside(folder);
  expectAgreement(outside);
  expect((await folder.history.usage('day', ALL_SERVICES))[0]?.cost).toBe(28);

  expect(await recost(folder, { since })).toEqual(planned);
  expectAgreement(outside);
  const costOf = async (id: string) => {
    const rows = await folder.history.list({ filter: {}, limit: 20 });
    return rows.find((one) => one.id === id)?.cost;
  };
  expect(await costOf('unpriced')).toEqual({ amount: 15, source: 'reported', priceId: 1 });
  expect(await costOf('unknown')).toEqual({ amount: null, source: 'unknown', priceId: 1 });
  expect(await costOf('other')).toEqual({ amount: null, source: 'unpriced', priceId: null });
  for (const id of ['refused', 'free']) expect(await costOf(id)).toBeNull();
  for (const id of ['sandbox', 'video']) expect((await costOf(id))?.amount).toBe(7);
  expect((await costOf('old'))?.source).toBe('unpriced');
  // Nothing is left to change.
  expect(await recost(folder, { since })).toMatchObject({ changed: 0, before: 30, after: 30 });
});

test('the cost of a video is computed from its length, unless an earlier version recorded none', async () => {
  await using folder = await openHistoryFolder();
  const order = { route: 'video-submit', modelSent: 'acme/film', usage: UNKNOWN_USAGE } as const;
  const unpriced = { cost: { amount: null, source: 'unpriced', priceId: null } };
  const video = { seconds: 5, resolution: '480p' };
  await folder.record(
    anExchange('video', { ...order, ...unpriced, video }),
    anExchange('large', { ...order, ...unpriced, video: { ...video, resolution: '4k' } }),
    anExchange('earlier', { ...order, ...unpriced }),
    // Its answer was that of an equal order before.
    anExchange('repeated', { ...order, video, cost: null }),
  );
  const book = await openBook(folder);
  const prices = { ...NO_PRICES, videoSecond: { '480p': 50_000 } };
  await book.add([price('acme/film', 0, { prices })]);
  expect(await folder.history.priceable(TODAY, book)).toMatchObject({ exchanges: 1 });
  // One has a price for its resolution, and an earlier one has no length.
  expect(await folder.history.unpricedVideos(book, NOON)).toEqual([
    { service: 'https://models.example.com', model: 'acme/film', exchanges: 1 },
  ]);
  expect(await recost(folder)).toMatchObject({ checked: 2, changed: 1, after: 250_000 });
  const rows = await folder.history.list({ filter: {}, limit: 10 });
  const amounts = new Map<string, unknown>(rows.map(({ id, cost }) => [id, cost?.amount ?? null]));
  expect([...amounts.keys()].filter((id) => amounts.get(id) !== null)).toEqual(['video']);
  expect(rows.find(({ id }) => String(id) === 'video')?.video).toEqual(video);
  using outside = openOutside(folder);
  expectAgreement(outside);
});

test('totals equal the rows at every moment while others write, delete and change prices', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const book = await openBook(folder);
  await book.add([price('acme/large', 2_000_000)]);
  let id = 0;
  const record = async (count: number) => {
    for (let at = 0; at < count; at += 1) {
      id += 1;
      const startedAt = NOON - (id % 5) * 24 * HOUR;
      const modelSent = id % 2 === 0 ? 'acme/large' : 'acme/small';
      const cost = [null, { amount: id, source: 'estimated', priceId: 1 }][id % 2];
      history.record(anExchange(`e${id}`, { startedAt, modelSent, cost }));
    }
    await history.flush();
  };
  await record(1_500);
  using outside = openOutside(folder);
  let batches = 0;
  const running = recost(folder, {
    onProgress: async ({ ended }) => {
      expectAgreement(outside);
      batches += 1;
      if (ended) return;
      if (batches % 2 === 0) await history.delete([anExchange(`e${batches * 100}`).id]);
      else await record(20);
      expectAgreement(outside);
    },
  });
  await book.add([price('acme/small', 3_000_000)]);
  await record(300);
  const ended = await running;
  expect(ended?.ended).toBe(true);
  expect(batches).toBeGreaterThan(5);
  expectAgreement(outside);
});

test('it stops after a batch, and what it did stays', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(...Array.from({ length: 600 }, (_, at) => anExchange(`e${at}`)));
  await (await openBook(folder)).add([price('*', 1_000_000)]);
  const stop = new AbortController();
  const stopped = await recost(folder, { signal: stop.signal, onProgress: () => stop.abort() });
  expect(stopped).toMatchObject({ checked: 250, changed: 250, ended: false });
  using outside = openOutside(folder);
  expectAgreement(outside);
  expect((await folder.history.usage('day', ALL_SERVICES))[0]?.cost).toBe(250 * 15);
});

test('what had no price and has one now is counted until its cost is computed', async () => {
  await using folder = await openHistoryFolder();
  const unpriced = { cost: { amount: null, source: 'unpriced', priceId: null } };
  const unknown = { cost: { amount: null, source: 'unknown', priceId: 1 } };
  await folder.record(
    anExchange('one', { ...unpriced, startedAt: NOON - HOUR }),
    anExchange('two', unpriced),
    anExchange('tokenless', { usage: UNKNOWN_USAGE, ...unknown }),
    anExchange('other', { modelSent: 'other/model', ...unpriced }),
    anExchange('sandbox', { service: 'sandbox', ...unpriced }),
    anExchange('video', { route: 'video-submit', ...unpriced }),
    anExchange('earlier', { startedAt: NOON - 48 * HOUR, ...unpriced }),
  );
  const book = await openBook(folder);
  const count = async () => await folder.history.priceable(TODAY, book);
  expect(await count()).toEqual({ exchanges: 0, since: null });
  // Without a price of text, its cost stays unknown.
  await book.add([price('acme/*', 1, { prices: { ...NO_PRICES, cacheRead: 1 } })]);
  expect(await count()).toEqual({ exchanges: 0, since: null });
  await book.add([price('acme/*', 1_000_000)]);
  expect(await count()).toEqual({ exchanges: 2, since: NOON - HOUR });
  await recost(folder, { since: NOON - HOUR });
  expect(await count()).toEqual({ exchanges: 0, since: null });
});
