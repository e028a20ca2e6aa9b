import { expect, test } from 'vitest';
import { type NotedPass, UnpricedPasses } from '../../../gateway/spend-limits/unpriced-passes.ts';
import { describeLimitStep } from '../../../shared/money/describe-limit.ts';
import { type Limit, LimitId } from '../../../shared/money/limit.ts';
import { findLimitStep } from '../../../shared/money/limit-step.ts';
import { NO_PRICES } from '../../../shared/money/price.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { order, startQuickHarness, whenJob, whenState } from '../../kit/videos/queue.ts';
import { ask, limit } from './ask.ts';

/** Whether a model has got a price since the latest of its requests passed. */
const isPriced =
  ({ repositories: { prices } }: Harness) =>
  ({ service, model, latestAt }: NotedPass) =>
    prices.hasPriceSince({ service, model, at: latestAt });

const MONEY = { measure: 'money', amount: 1_000_000 } as const;

test('requests to a model without a price pass a limit of money, and are told until it has one', async () => {
  await using harness = await startHarness();
  const limits = await harness.repositories.openSpendLimits();
  await limit(harness, { measure: 'requests', amount: 100 });
  await (await ask(harness)).text();
  // Without a limit of money nothing is missed.
  expect(limits.listUnpriced(isPriced(harness))).toEqual([]);
  await limit(harness, MONEY);
  await limit(harness, { ...MONEY, period: 'run' });
  const answers = await Promise.all([ask(harness), ask(harness), ask(harness, 'messages')]);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  await Promise.all(answers.map((answer) => answer.text()));
  const [pass, ...more] = limits.listUnpriced(isPriced(harness));
  expect(pass).toMatchObject({ model: expect.stringContaining('ember-mini'), requests: 3 });
  expect(more).toEqual([]);
  const prices = { ...NO_PRICES, input: 0, output: 0 };
  const other = { service: null, model: 'another', validFrom: 0, prices, tiers: [] };
  await harness.repositories.prices.add([{ ...other, origin: 'entered' }]);
  expect(limits.listUnpriced(isPriced(harness))).toEqual([pass]);
  await harness.repositories.prices.add([
    { service: null, model: '*', validFrom: 0, prices, tiers: [], origin: 'entered' },
  ]);
  expect(limits.listUnpriced(isPriced(harness))).toEqual([]);
  await (await ask(harness)).text();
  // What is free counts as that.
  expect(limits.listUnpriced(isPriced(harness))).toEqual([]);
});

test('requests to a model without a price are refused where the settings say so', async () => {
  let ahead = 0;
  await using harness = await startHarness({ now: () => Date.now() + ahead });
  await harness.gateway.changeSettings({ refusesUnpriced: true });
  const { id } = await limit(harness, MONEY);
  const limits = await harness.repositories.openSpendLimits();
  const refused = await ask(harness);
  expect(refused.status).toBe(402);
  expect(refused.headers.get('x-should-retry')).toBe('false');
  expect(await refused.text()).toMatch(
    /The limit of all clients is \$1\.00 per day, and what this request to “[^”]*ember-mini” costs is not known: there is no price, or a video has no length\. Nothing was sent\./u,
  );
  expect(harness.sandbox.charges).toBe(0);
  expect(limits.listUnpriced(isPriced(harness))).toEqual([]);
  const [step] = limits.list('services').flatMap((one) => findLimitStep(one) ?? []);
  expect(step?.limit).toMatchObject({ refusedAt: expect.any(Number), refusedNeed: null });
  const notice = step && describeLimitStep(step, { currency: 'USD', now: 0 });
  expect(notice?.text).toContain('refused because what it costs is not known');
  // A price may have ended it.
  ahead = 11 * 60_000;
  expect(limits.list('services')).toMatchObject([{ refusedAt: null }]);
  await limits.allow(id, 'once');
  const both = await Promise.all([ask(harness), ask(harness)]);
  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([200, 402]));
  await limits.allow(id, 'hour');
  expect((await ask(harness)).status).toBe(200);
  await limits.remove(id);
  // Another limit counts what needs no price.
  await limit(harness, { measure: 'tokens', amount: 1_000_000 });
  expect((await ask(harness)).status).toBe(200);
});

test('a limit of money that is used up refuses what it cannot count, too', async () => {
  await using harness = await startHarness();
  const prices = { ...NO_PRICES, input: 1_000_000_000, output: 1_000_000_000 };
  await harness.repositories.prices.add([
    { service: null, model: 'aurora/*', validFrom: 0, prices, tiers: [], origin: 'entered' },
  ]);
  const { id } = await limit(harness, { ...MONEY, amount: 1 });
  const limits = await harness.repositories.openSpendLimits();
  expect((await ask(harness)).status).toBe(200);
  await limits.allow(id, 'once');
  const priced = await ask(harness, 'chat', { model: 'aurora/aurora-small' });
  await harness.recordOf(priced.headers.get('x-gatehouse-exchange'));
  const refused = await ask(harness);
  expect(refused.status).toBe(402);
  expect(await refused.text()).toContain('per day: $');
});

test('a request that was answered with an error is none that passed', async () => {
  await using harness = await startHarness();
  await limit(harness, MONEY);
  const limits = await harness.repositories.openSpendLimits();
  expect((await ask(harness, 'chat', { model: 'no-such-model' })).status).toBe(404);
  expect(limits.listUnpriced(isPriced(harness))).toEqual([]);
});

test('a video of the window without a price waits where such requests are refused', async () => {
  await using harness = await startQuickHarness();
  await harness.gateway.changeSettings({ refusesUnpriced: true });
  const { id } = await limit(harness, MONEY);
  const job = await order(harness, 'A fox [scenario render-ms=0]');
  const waiting = await whenJob(harness.repositories, job.id, ({ problem }) => problem !== null);
  expect(waiting.problem).toContain('costs is not known');
  expect(harness.sandbox.orders).toEqual([]);
  const limits = await harness.repositories.openSpendLimits();
  await limits.allow(id, 'hour');
  await whenState(harness.repositories, job.id, 'done');
  expect(limits.listUnpriced(isPriced(harness))).toMatchObject([
    { clientName: 'Videos', requests: 1 },
  ]);
});

test('of very many models that pass the latest hundred are told, in the order in which they came', () => {
  const money: Limit = {
    ...MONEY,
    id: LimitId.parse('l'),
    clientId: null,
    period: 'day',
    rolling: false,
    createdAt: 0,
    suspended: null,
    allowedOnceAt: null,
  };
  const passes = new UnpricedPasses();
  const note = (model: string, at: number) =>
    passes.note({ clientName: 'Editor', model, service: 'https://models.example.com', at });
  expect(note('busy', 0)).toBe(true);
  for (let at = 1; at <= 150; at += 1) {
    expect(note(`m${at}`, at)).toBe(true);
    expect(note('busy', at)).toBe(false);
  }
  const listed = passes.list([money], () => false);
  expect(listed[0]).toMatchObject({ model: 'busy', requests: 151, at: 0 });
  expect(listed.slice(1).map(({ model }) => model)).toEqual(
    Array.from({ length: 99 }, (_, index) => `m${index + 52}`),
  );
});
