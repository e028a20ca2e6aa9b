import { expect, test } from 'vitest';
import {
  countOrders,
  orderBody,
  readTaskId,
  sendOrder,
  uploadPicture,
} from '../../kit/videos/video-order.ts';
import { ALL_SERVICES } from '../../kit/history/usage-query.ts';
import { ClientId } from '../../../shared/client.ts';
import type { LimitKind } from '../../../shared/money/limit.ts';
import { NO_PRICES } from '../../../shared/money/price.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { ask, limit } from './ask.ts';

/** A question whose streamed answer waits until the gate is open. */
const AT_GATE = [{ role: 'user', content: 'Hello [scenario gate=1]' }];

async function usedOf(harness: Harness): Promise<number | undefined> {
  const limits = await harness.repositories.openSpendLimits();
  return limits.list('services')[0]?.used;
}

test.each(['day', 'month'] as const)(
  'of 100 parallel requests an allowance for ten a %s lets ten through',
  async (period) => {
    await using harness = await startHarness();
    await limit(harness, { period });
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(harness)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 402)).toHaveLength(90);
    expect(harness.sandbox.charges).toBe(10);
    await Promise.all(answers.map((answer) => answer.text()));
  },
);

test('what a new limit would count is known before it is set, with the requests in flight', async () => {
  await using harness = await startHarness();
  const limits = await harness.repositories.openSpendLimits();
  const used = async (fields: Partial<LimitKind> = {}) => {
    const kind = { clientId: null, measure: 'requests', period: 'day', rolling: false } as const;
    return await limits.findUsed({ ...kind, ...fields }, 'services');
  };
  expect(await used()).toBe(0);
  for (let count = 1; count <= 3; count += 1) await (await ask(harness)).text();
  expect(await used()).toBe(3);
  expect(await used({ rolling: true, period: 'hour' })).toBe(3);
  expect(await used({ period: 'run' })).toBe(3);
  expect(await used({ measure: 'tokens' })).toBeGreaterThan(3);
  expect(await used({ clientId: ClientId.parse('nobody') })).toBe(0);
  expect(await limits.findUsed(await limit(harness, {}), 'sandbox')).toBe(0);
  expect(await usedOf(harness)).toBe(3);
});

test('the refusal is one that each client shows and does not repeat, in its protocol', async () => {
  await using harness = await startHarness();
  await limit(harness, { amount: 1 });
  await (await ask(harness)).text();
  for (const [route, status] of [
    ['chat', 402],
    ['messages', 402],
    ['responses', 400],
  ] as const) {
    const answer = await ask(harness, route);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(answer.headers.get('x-gatehouse-error')).toBe('local_limit_reached');
    const text = await answer.text();
    expect(text).toContain('"code":"local_limit_reached"');
    expect(text).toMatch(
      /The limit of all clients is 1 request per day: 1 request used\. It resets at 20/,
    );
  }
  expect(harness.sandbox.charges).toBe(1);
});

test('a limit of money reserves an estimate, and counts what was used in the end', async () => {
  await using harness = await startHarness();
  const prices = { ...NO_PRICES, input: 1_000_000_000, output: 1_000_000_000 };
  await harness.repositories.prices.add([
    { service: null, model: '*', validFrom: 0, prices, tiers: [], origin: 'entered' },
  ]);
  await limit(harness, { measure: 'money', amount: 1_000_000 });
  const first = await ask(harness);
  const record = await harness.recordOf(first.headers.get('x-gatehouse-exchange'));
  expect(record.cost).toMatchObject({ source: 'reported' });
  expect(await usedOf(harness)).toBe(record.cost?.amount);
  let sent = 1;
  let status = 200;
  while (status === 200 && sent < 200) {
    const answer = await ask(harness);
    ({ status } = answer);
    await answer.text();
    if (status === 200) sent += 1;
  }
  expect(status).toBe(402);
  await harness.gateway.history.flush();
  const used = (await usedOf(harness)) ?? 0;
  expect(used).toBeLessThanOrEqual(1_000_000);
  const [day] = await harness.gateway.history.usage('day', ALL_SERVICES);
  expect(day?.cost).toBe(used);
});

const VISION = 'aurora/aurora-large';

test('images of a request are counted before it is sent, and in its cost, where they have a price', async () => {
  await using harness = await startHarness();
  const prices = { ...NO_PRICES, image: 1_000_000 };
  await harness.repositories.prices.add([
    { service: null, model: VISION, validFrom: 0, prices, tiers: [], origin: 'entered' },
  ]);
  await limit(harness, { measure: 'money', amount: 2_500_000 });
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } };
  const withImages = (count: number) => {
    const content = [{ type: 'text', text: 'Hi' }, ...Array.from({ length: count }, () => image)];
    return ask(harness, 'chat', { model: VISION, messages: [{ role: 'user', content }] });
  };
  expect((await withImages(3)).status).toBe(402);
  const answer = await withImages(2);
  expect(answer.status).toBe(200);
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  expect(record).toMatchObject({
    usage: { source: 'reported', media: { images: 2 } },
    cost: { amount: 2_000_000, source: 'reported' },
  });
  expect((await withImages(1)).status).toBe(402);
  expect((await withImages(0)).status).toBe(200);
});

test('requests that fail or are refused give back what they did not use', async () => {
  await using harness = await startHarness();
  await limit(harness, { measure: 'tokens', amount: 1_000_000 });
  const answers = await Promise.allSettled([
    ask(harness, 'chat', { temperature: 'hot' }),
    ask(harness, 'chat', { model: 'no-such-model' }),
    fetch(`http://127.0.0.1:${harness.port}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${harness.localKey}`, 'content-type': 'application/json' },
      body: '{"model":"ember-mini"',
    }),
  ]);
  for (const answer of answers) if (answer.status === 'fulfilled') await answer.value.text();
  await harness.gateway.history.flush();
  expect(await usedOf(harness)).toBe(0);
});

test('requests at once are limited, and a place is free again when one ends', async () => {
  await using harness = await startHarness();
  await limit(harness, { measure: 'concurrent', amount: 2, period: 'minute' });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => ask(harness, 'chat', { stream: true, messages: AT_GATE })),
  );
  const refused = answers.filter(({ status }) => status === 429);
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
  expect(refused).toHaveLength(10);
  harness.sandbox.openGate(1);
  expect(refused[0]?.headers.get('retry-after')).toBe('1');
  await Promise.all(answers.map((answer) => answer.text()));
  await expect.poll(() => usedOf(harness)).toBe(0);
  expect((await ask(harness)).status).toBe(200);
});

test('a client that leaves gives its place back, and its request counts with an estimate', async () => {
  await using harness = await startHarness();
  await limit(harness, { measure: 'tokens', amount: 1_000_000 });
  await limit(harness, { measure: 'concurrent', amount: 1, period: 'minute' });
  const leaving = new AbortController();
  const answer = await fetch(`http://127.0.0.1:${harness.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${harness.localKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'aurora/aurora-large',
      stream: true,
      messages: AT_GATE,
    }),
    signal: leaving.signal,
  });
  expect(answer.status).toBe(200);
  await answer.body?.getReader().read();
  expect((await ask(harness)).status).toBe(429);
  leaving.abort();
  const record = await harness.recordOf(answer.headers.get('x-gatehouse-exchange'));
  expect(record).toMatchObject({ endedBy: 'client', usage: { source: 'estimated' } });
  const { input, output } = record.usage;
  expect(await usedOf(harness)).toBe((input ?? 0) + (output ?? 0));
  expect((await ask(harness)).status).toBe(200);
});

test('of parallel orders of videos one of an allowance for one is sent, and repeats of it count nothing', async () => {
  await using harness = await startHarness();
  await limit(harness, { amount: 1 });
  const url = await uploadPicture(harness);
  const answers = await Promise.all(
    ['A fox', 'A fox', 'A hare', 'A fox', 'A hare'].map((prompt) =>
      sendOrder(harness, orderBody(url, prompt)),
    ),
  );
  const good = answers.filter(({ status }) => status === 200);
  expect(good.length).toBeGreaterThanOrEqual(1);
  expect(new Set(good.map(readTaskId)).size).toBe(1);
  expect(answers.filter(({ status }) => status === 402)).toHaveLength(5 - good.length);
  expect(countOrders(harness)).toBe(1);
  expect(await usedOf(harness)).toBe(1);
});

test('a limit that is changed or removed holds from the next request on', async () => {
  await using harness = await startHarness();
  await limit(harness, { amount: 1 });
  expect((await ask(harness)).status).toBe(200);
  expect((await ask(harness)).status).toBe(402);
  await limit(harness, { amount: 2 });
  expect((await ask(harness)).status).toBe(200);
  expect((await ask(harness)).status).toBe(402);
  const limits = await harness.repositories.openSpendLimits();
  for (const { id } of limits.list('services')) await limits.remove(id);
  expect((await ask(harness)).status).toBe(200);
});

test('what was used is known after a restart, also when the history was erased', async () => {
  await using harness = await startHarness();
  await (await ask(harness)).text();
  await (await ask(harness)).text();
  await harness.gateway.history.flush();
  await harness.gateway.history.erase();
  const { openSpendLimits } = await import('../../../gateway/spend-limits/spend-limits.ts');
  const { store, host } = harness.repositories;
  const reopened = await openSpendLimits({
    ...host,
    store,
    command: 'gatehouse',
    confirmedNow: host.now,
    currency: () => 'USD',
    refusesUnpriced: () => false,
  });
  await reopened.set({
    clientId: null,
    measure: 'requests',
    amount: 10,
    period: 'month',
    rolling: true,
  });
  expect(reopened.list('services')[0]?.used).toBe(2);
  expect(reopened.list('sandbox')[0]?.used).toBe(0);
});
