import { assert, expect, test } from 'vitest';
import { openSpendLimits } from '../../../gateway/spend-limits/spend-limits.ts';
import type { LimitId } from '../../../shared/money/limit.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { orderBody, sendOrder, uploadPicture } from '../../kit/videos/video-order.ts';
import { order, startQuickHarness, whenJob, whenState } from '../../kit/videos/queue.ts';
import { ask, limit } from './ask.ts';

async function statuses(harness: Harness, count: number): Promise<number[]> {
  const answers = await Promise.all(Array.from({ length: count }, () => ask(harness)));
  await Promise.all(answers.map((answer) => answer.text()));
  return answers.map(({ status }) => status);
}

async function allow(harness: Harness, id: LimitId, exception: 'once' | 'hour'): Promise<void> {
  const limits = await harness.repositories.openSpendLimits();
  await limits.allow(id, exception);
}

test('of 100 parallel requests one more passes a limit that allows one more', async () => {
  await using harness = await startHarness();
  const { id } = await limit(harness, { amount: 3 });
  await allow(harness, id, 'once');
  expect((await statuses(harness, 100)).filter((status) => status === 200)).toHaveLength(4);
  expect(await statuses(harness, 1)).toEqual([402]);
  await allow(harness, id, 'once');
  await allow(harness, id, 'once');
  expect((await statuses(harness, 5)).filter((status) => status === 200)).toHaveLength(1);
});

test('a used exception stays used when the limits are read again', async () => {
  await using harness = await startHarness();
  const { id } = await limit(harness, { amount: 1 });
  await allow(harness, id, 'once');
  expect(await statuses(harness, 2)).toEqual([200, 200]);
  const limits = await harness.repositories.openSpendLimits();
  await Promise.all([limits.reload(), limits.reload()]);
  expect(await statuses(harness, 1)).toEqual([402]);
  expect(limits.list('services')[0]).toMatchObject({ used: 2, allowedOnceAt: null });
});

test('an exception is not used up by a request that another limit refuses', async () => {
  await using harness = await startHarness();
  const day = await limit(harness, { amount: 1 });
  const month = await limit(harness, { amount: 1, period: 'month' });
  expect(await statuses(harness, 1)).toEqual([200]);
  await allow(harness, day.id, 'once');
  expect(await statuses(harness, 1)).toEqual([402]);
  await allow(harness, month.id, 'once');
  expect(await statuses(harness, 1)).toEqual([200]);
  expect(await statuses(harness, 1)).toEqual([402]);
});

test('a limit lets everything pass for an hour, also when the clock is set back, not before or after', async () => {
  let ahead = 0;
  await using harness = await startHarness({ now: () => Date.now() + ahead });
  const { id } = await limit(harness, { amount: 1, period: 'month' });
  await allow(harness, id, 'hour');
  expect(await statuses(harness, 5)).toEqual([200, 200, 200, 200, 200]);
  ahead = 59 * 60_000;
  expect(await statuses(harness, 1)).toEqual([200]);
  ahead = -60_000;
  expect(await statuses(harness, 1)).toEqual([402]);
  ahead = 61 * 60_000;
  expect(await statuses(harness, 1)).toEqual([402]);
});

test('an exception of another process holds once the limits are read again, and an unknown limit is refused', async () => {
  await using harness = await startHarness();
  const { id } = await limit(harness, { amount: 1 });
  expect(await statuses(harness, 2)).toEqual(expect.arrayContaining([200, 402]));
  const { store, host } = harness.repositories;
  const others = await openSpendLimits({
    ...host,
    store,
    command: 'gatehouse',
    confirmedNow: host.now,
    currency: () => 'USD',
    refusesUnpriced: () => false,
  });
  await others.allow(id, 'once');
  const limits = await harness.repositories.openSpendLimits();
  await limits.reload();
  expect(await statuses(harness, 2)).toEqual(expect.arrayContaining([200, 402]));
  await others.remove(id);
  await expect(others.allow(id, 'once')).rejects.toThrow('removed or replaced');
});

test('a client uses only the models that it may use', async () => {
  await using harness = await startHarness();
  const { clients } = harness.repositories;
  await clients.setModels('Test', ['EMBER-*']);
  expect((await ask(harness)).status).toBe(200);
  const answers = await Promise.all(
    (['chat', 'messages', 'responses'] as const).map((route) =>
      ask(harness, route, { model: 'aurora/aurora-large' }),
    ),
  );
  // Clients of Responses repeat a 403.
  expect(answers.map(({ status }) => status)).toEqual([403, 403, 400]);
  for (const answer of answers) {
    expect(answer.headers.get('x-should-retry')).toBe('false');
    const text = await answer.text();
    expect(text).toContain('Test may use “EMBER-*” only. It asked for “aurora/aurora-large”.');
    expect(text).toContain('"code":"local_model_refused"');
  }
  expect((await sendOrder(harness, orderBody(await uploadPicture(harness)))).status).toBe(403);
  expect(harness.sandbox.charges).toBe(1);
  await clients.setModels('Test', null);
  expect((await ask(harness, 'chat', { model: 'aurora/aurora-large' })).status).toBe(200);
  await expect(clients.setModels('Test', [' '])).rejects.toThrow('Enter a model.');
});

test('a damaged list of models allows none', async () => {
  await using harness = await startHarness();
  const { clients, store } = harness.repositories;
  await store.write([{ sql: 'update client set models = ?', rows: [['{']] }]);
  await clients.reload();
  const answer = await ask(harness);
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('Test may use no model only');
});

test('a video of the window waits while it would exceed a limit, and is ordered once that is allowed', async () => {
  await using harness = await startQuickHarness();
  const { id } = await limit(harness, { amount: 1 });
  const prompt = 'A fox [scenario render-ms=0]';
  const [first, second] = await Promise.all([order(harness, prompt), order(harness, prompt)]);
  const done = await Promise.race(
    [first, second].map((job) => whenState(harness.repositories, job.id, 'done')),
  );
  const other = done.id === first.id ? second : first;
  const waiting = await whenJob(
    harness.repositories,
    other.id,
    ({ state, problem }) => state === 'waiting' && problem !== null,
  );
  expect(waiting.problem).toMatch(
    /^The limit of all clients is 1 request per day: 1 request used/u,
  );
  expect(waiting.charged).toBe('no');
  expect(harness.sandbox.orders).toHaveLength(1);
  await allow(harness, id, 'hour');
  await whenState(harness.repositories, other.id, 'done');
  expect(harness.sandbox.orders).toHaveLength(2);
  const [used] = (await harness.repositories.openSpendLimits()).list('services');
  assert(used !== undefined);
  expect(used.used).toBe(2);
});

test('a limit that refuses a request before all is used says so, until its period ends or it passes', async () => {
  let ahead = 0;
  await using harness = await startHarness({ now: () => Date.now() + ahead });
  const { id } = await limit(harness, { measure: 'tokens', amount: 20, period: 'hour' });
  const limits = await harness.repositories.openSpendLimits();
  const refusedAt = () => limits.list('services')[0]?.refusedAt;
  expect(refusedAt()).toBeNull();
  expect(await statuses(harness, 2)).toEqual([402, 402]);
  expect(refusedAt()).toBeTypeOf('number');
  expect(limits.list('services')[0]?.refusedNeed).toBeGreaterThan(20);
  await allow(harness, id, 'hour');
  expect(await statuses(harness, 1)).toEqual([200]);
  await limits.allow(id, 'none');
  expect(await statuses(harness, 1)).toEqual([402]);
  expect(refusedAt()).toBeTypeOf('number');
  await limit(harness, { measure: 'tokens', amount: 2_000, period: 'hour' });
  expect(refusedAt()).toBeNull();
  await limit(harness, { measure: 'tokens', amount: 20, period: 'hour' });
  expect(await statuses(harness, 1)).toEqual([402]);
  ahead = 3_600_000;
  expect(refusedAt()).toBeNull();
});

test('the refusal says what of a rolling limit is free when, and that waiting does not help where all is too little', async () => {
  await using harness = await startHarness();
  await limit(harness, { amount: 1, rolling: true });
  expect(await statuses(harness, 1)).toEqual([200]);
  expect(await (await ask(harness)).text()).toContain(
    '1 request used. Part of it is free again at',
  );
  await limit(harness, { measure: 'tokens', amount: 20, period: 'minute' });
  const [first] = (await harness.repositories.openSpendLimits()).list('services');
  await (await harness.repositories.openSpendLimits()).remove(first!.id);
  expect(await (await ask(harness)).text()).toContain(
    'That is more than the whole limit, so waiting does not help. Nothing was sent.',
  );
});

test('a changed amount keeps the exception', async () => {
  await using harness = await startHarness();
  const { id } = await limit(harness, { amount: 1 });
  await allow(harness, id, 'hour');
  expect((await limit(harness, { amount: 2 })).id).toBe(id);
  expect(await statuses(harness, 4)).toEqual([200, 200, 200, 200]);
});

test('other routes are refused to a client that may not use their model, however long its name is', async () => {
  await using harness = await startHarness();
  await harness.repositories.clients.setModels('Test', ['ember-*']);
  for (const model of ['aurora/aurora-large', `ember-${'x'.repeat(1_000_000)}`]) {
    for (const path of ['/v1/completions', '/v1/embeddings', '/v1/chat/completions']) {
      const answer = await fetch(`${harness.url}${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${harness.localKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({ model, prompt: 'Hi', input: 'Hi', messages: [] }),
      });
      expect([path, answer.status]).toEqual([path, 403]);
      expect((await answer.text()).length).toBeLessThan(2_000);
    }
  }
});

test.for([
  ['a day behind', -24 * 3_600_000],
  ['40 days ahead', 40 * 24 * 3_600_000],
] as const)('use is known again when a clock that was %s is set right', async ([, wrong]) => {
  await using harness = await startHarness();
  expect(await statuses(harness, 3)).toEqual([200, 200, 200]);
  await harness.gateway.history.flush();
  const { store, host } = harness.repositories;
  let ahead = wrong;
  const now = () => Date.now() + ahead;
  const reopened = await openSpendLimits({
    ...host,
    store,
    now,
    command: 'gatehouse',
    confirmedNow: () => Math.min(now(), Date.now()),
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
  reopened.admit({
    clientId: 'c',
    clientName: 'c',
    model: 'm',
    service: 'sandbox',
    run: null,
    subagent: null,
    scope: 'sandbox',
    at: now(),
    expected: () => ({ money: 0, tokens: 0 }),
  });
  ahead = 0;
  expect(reopened.list('services')[0]?.used).toBe(3);
});
