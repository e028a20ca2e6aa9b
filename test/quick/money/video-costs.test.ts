import { expect, test } from 'vitest';
import { NO_PRICES, type Prices } from '../../../shared/money/price.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { order, startQuickHarness, whenJob, whenState } from '../../kit/videos/queue.ts';
import { countOrders, orderBody, sendOrder, uploadPicture } from '../../kit/videos/video-order.ts';
import { limit } from './ask.ts';

const SECOND = { videoSecond: { '480p': 1_000 } };

async function setPrice({ repositories }: Harness, prices: Partial<Prices> = SECOND) {
  const all = { ...NO_PRICES, ...prices };
  await repositories.prices.add([
    { service: null, model: 'h3', validFrom: 0, prices: all, tiers: [], origin: 'entered' },
  ]);
}

async function findOrders(harness: Harness) {
  return (await harness.records()).filter(({ route }) => route === 'video-submit');
}

test('a video of the queue costs what is ordered, also where an additional field replaces its length', async () => {
  await using harness = await startQuickHarness();
  await setPrice(harness);
  const { id } = await order(harness, 'A fox. [scenario render-ms=50]', {
    seconds: '4',
    resolution: '480p',
    more: { seconds: '6' },
  });
  const done = await whenState(harness.repositories, id, 'done');
  const [exchange] = await findOrders(harness);
  expect(done.computedCost).toEqual(exchange?.cost);
  expect(await findOrders(harness)).toMatchObject([
    { video: { seconds: 6, resolution: '480p' }, cost: { amount: 6_000, source: 'reported' } },
  ]);
});

test('an order of the queue that could not be sent costs nothing', async () => {
  await using harness = await startQuickHarness({ baseUrl: 'http://127.0.0.1:1' });
  await setPrice(harness);
  const { id } = await order(harness, 'A fox.', { image: null });
  await whenJob(harness.repositories, id, ({ problem }) => problem !== null);
  const orders = await findOrders(harness);
  expect(orders.length).toBeGreaterThan(0);
  expect(new Set(orders.map(({ cost }) => cost))).toEqual(new Set([null]));
});

test('a video has its cost by the price for the time of its order, and none before it is ordered', async () => {
  await using harness = await startQuickHarness();
  const { repositories } = harness;
  const queued = await order(harness, 'A fox. [scenario render-ms=50]');
  expect(queued.computedCost).toBeNull();
  const { submittedAt } = await whenState(repositories, queued.id, 'done');
  const read = async () => (await repositories.videos.get(queued.id)).job.computedCost;
  // The sandbox stands in for a service, so its play prices do not hold.
  expect(await read()).toMatchObject({ amount: null, source: 'unpriced' });
  await setPrice(harness);
  const { prices } = repositories;
  const [price] = prices.list();
  const later = {
    ...price!,
    validFrom: (submittedAt ?? 0) + 1,
    prices: { ...NO_PRICES, request: 9 },
  };
  await prices.add([later]);
  expect(await read()).toMatchObject({ amount: 4_000, source: 'reported' });
  const page = await repositories.videos.page({ filter: {}, limit: 1 });
  expect(page.jobs).toMatchObject([{ computedCost: { amount: 4_000 } }]);
});

test('an order whose answer does not say whether it was taken counts as an estimate, and a refused one counts nothing', async () => {
  await using harness = await startHarness();
  await setPrice(harness, { ...SECOND, request: 7 });
  await limit(harness, { measure: 'money', amount: 1_000_000 });
  const url = await uploadPicture(harness);
  const taken = await sendOrder(harness, orderBody(url, 'A fox. [scenario order-error]'));
  expect(taken.status).toBe(500);
  const refused = await sendOrder(harness, { ...orderBody(url, 'A hare.'), seconds: 'many' });
  expect(refused.status).toBe(400);
  const record = async ({ headers }: typeof taken) =>
    await harness.recordOf(headers.get('x-gatehouse-exchange') ?? null);
  expect((await record(taken)).cost).toMatchObject({ amount: 1_007, source: 'estimated' });
  expect((await record(refused)).cost).toBeNull();
  const limits = await harness.repositories.openSpendLimits();
  expect(limits.list('services')).toMatchObject([{ used: 1_007 }]);
});

test('a client that was stopped orders no video and uploads nothing', async () => {
  await using harness = await startHarness();
  const url = await uploadPicture(harness);
  const [client] = await harness.repositories.clients.list();
  harness.gateway.runaways.stop({ id: client?.id ?? '', name: client?.name ?? '' });
  const answer = await sendOrder(harness, orderBody(url));
  expect(answer.status).toBe(402);
  expect(answer.headers.get('x-gatehouse-error')).toBe('local_agent_stopped');
  await expect(uploadPicture(harness)).rejects.toThrow('local_agent_stopped');
  expect(countOrders(harness)).toBe(0);
});
