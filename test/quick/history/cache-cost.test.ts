import { expect, test } from 'vitest';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE, type Usage } from '../../../shared/exchange/usage.ts';
import { NO_PRICES, type Prices } from '../../../shared/money/price.ts';
import { type RunDetail, RunStep } from '../../../shared/run/run.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { aRunSummary, aStep } from '../../kit/history/a-run.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';

const FIRST = 'ex-0000000000000001';
const SECOND = 'ex-0000000000000002';
const WROTE = { input: 100_000, cacheRead: 0, cacheWrite: 100_000 };

const toStep = (id: string, at: number, usage: Partial<Usage>) =>
  aStep(id, NOON + at, { usage: { ...UNKNOWN_USAGE, source: 'reported', ...usage } });

function aRun(steps: RunStep[]): RunDetail {
  const run = aRunSummary({ steps: steps.length });
  return { run, sequences: [{ id: 1, kind: 'main', startedBy: null, steps }], moreSteps: 0 };
}

interface Priced {
  readonly prices?: Partial<Prices>;
  readonly aboveHalf?: Partial<Prices>;
  readonly service?: string;
}

/** Returns what a second step that missed the cache of the first costs more, and the sum of its run. */
async function costOf(usage: Partial<Usage>, { prices, aboveHalf, service }: Priced) {
  await using folder = await openHistoryFolder();
  const tiers =
    aboveHalf === undefined ? [] : [{ aboveInput: 50_000, prices: { ...NO_PRICES, ...aboveHalf } }];
  if (prices !== undefined)
    await folder.store.db
      .insertInto('price')
      .values({
        service: null,
        model: 'm',
        valid_from: 0,
        prices: JSON.stringify({ ...NO_PRICES, ...prices }),
        tiers: JSON.stringify(tiers),
        origin: 'entered',
        created_at: 0,
        retired_at: null,
      })
      .execute();
  const cost = { amount: 1, source: 'reported', priceId: prices === undefined ? null : 1 } as const;
  const of = service === undefined ? {} : { service };
  await folder.record(anExchange(FIRST, { cost, ...of }), anExchange(SECOND, { cost, ...of }));
  const steps = [toStep(FIRST, 0, WROTE), toStep(SECOND, 20_000, usage)];
  const { misses, missed } = await folder.history.costRun(aRun(steps));
  const place = { run: RunId.parse('run-1'), title: '', number: 2, before: null };
  const [compared, step] = steps;
  if (compared === undefined || step === undefined) throw new Error('There are two steps.');
  const { miss } = await folder.history.costPlace({ ...place, step, compared });
  expect(miss).toEqual(misses[SECOND] ?? null);
  expect(misses[ExchangeId.parse(FIRST)]).toBeUndefined();
  return { cost: miss?.cost, missed };
}

const PRICES = { input: 3_000_000, cacheRead: 300_000, cacheWrite: 3_750_000 };
const READ_AGAIN = { input: 110_000, cacheRead: 0, cacheWrite: 0 };

test.each<[string, Partial<Usage>, Priced, number | null]>([
  ['fresh input', READ_AGAIN, { prices: PRICES }, 270_000],
  ['writes', { ...READ_AGAIN, cacheWrite: 110_000 }, { prices: PRICES }, 345_000],
  [
    'writes for an hour',
    { ...READ_AGAIN, cacheWrite: 110_000, cacheWriteHour: 110_000 },
    { prices: { ...PRICES, cacheWriteHour: 6_000_000 } },
    570_000,
  ],
  [
    'the prices for a long request',
    READ_AGAIN,
    { prices: PRICES, aboveHalf: { input: 6_000_000, cacheRead: 600_000 } },
    540_000,
  ],
  ['no price for cached input', READ_AGAIN, { prices: { input: 3_000_000 } }, null],
  ['no price', READ_AGAIN, {}, null],
  ['the sandbox', READ_AGAIN, { prices: PRICES, service: SANDBOX_ID }, null],
])('lost tokens cost what is paid for them beyond cached input: %s', async (_, usage, of, cost) => {
  const needsPrice = cost === null && of.service !== SANDBOX_ID;
  expect(await costOf(usage, of)).toEqual({
    cost,
    missed: { times: 1, lost: 100_000, cost, unpriced: needsPrice ? 1 : 0 },
  });
});

test('a run that read its cache missed nothing', async () => {
  const usage = { input: 110_000, cacheRead: 100_000, cacheWrite: 10_000 };
  expect(await costOf(usage, { prices: PRICES })).toEqual({
    cost: undefined,
    missed: { times: 0, lost: 0, cost: null, unpriced: 0 },
  });
});

test('another service than that of the step before is the cause, and the sum stays', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    anExchange(FIRST, { service: 'https://one.example' }),
    anExchange(SECOND, { service: 'https://other.example' }),
  );
  const compared = { with: FIRST, lifeMs: 300_000, follows: true, isWhole: true };
  const second = RunStep.parse({
    ...toStep(SECOND, 20_000, { input: 101_000, cacheRead: 0, cacheWrite: 101_000 }),
    comparison: { ...compared, isOtherAgent: false, parameters: [] },
  });
  const { misses, missed } = await folder.history.costRun(aRun([toStep(FIRST, 0, WROTE), second]));
  expect(misses[SECOND]?.causes.map(({ kind }) => kind)).toEqual(['service']);
  expect(missed).toMatchObject({ times: 1, lost: 100_000, cost: null });
});
