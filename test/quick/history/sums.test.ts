import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type History } from '../../../gateway/history/history.ts';
import {
  cacheWritesForAnHour,
  refusedByLimits,
  sessionsAndProjects,
} from '../../../gateway/store/migrations/0027-runs.ts';
import { failedWithoutAnswer } from '../../../gateway/store/migrations/0026-failed-without-answer.ts';
import { answersWithoutTokens } from '../../../gateway/store/migrations/0014-answers-without-tokens.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { anExchange, ofProject } from '../../kit/history/an-exchange.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { expectAgreement } from '../../kit/history/expect-agreement.ts';
import { ALL_SERVICES } from '../../kit/history/usage-query.ts';

async function countOf(history: History): Promise<number> {
  return await history.count({}, 100_000);
}

async function summed(history: History): Promise<number> {
  return (await history.usage('day', ALL_SERVICES)).reduce(
    (sum, { exchanges }) => sum + exchanges,
    0,
  );
}

test.each([[500], [1_000], [1_300]])(
  'exchanges recorded while %i others are erased, by two connections, are stored and summed',
  async (count) => {
    await using folder = await openHistoryFolder();
    const { history } = folder;
    for (let round = 0; round < 8; round += 1) {
      await history.erase();
      for (let at = 0; at < count; at += 1) history.record(anExchange(`old-${round}-${at}`));
      await history.flush();
      const erasing = [history.erase(), history.erase()];
      let recorded = 0;
      const state = { erased: false };
      const done = Promise.all(erasing).then(() => (state.erased = true));
      // Waits until the first exchange is deleted: from then on, all old ones are being deleted.
      while ((await countOf(history)) === count);
      while (!state.erased) {
        history.record(anExchange(`new-${round}-${recorded}`));
        recorded += 1;
        await history.flush();
      }
      await done;
      expect(await countOf(history)).toBe(recorded);
      expect(await summed(history)).toBe(recorded);
    }
  },
);

test('exchanges that are written together are in the totals of their own client, model, route, hour and price', async () => {
  await using folder = await openHistoryFolder();
  const priced = { amount: 7, source: 'estimated', priceId: 3 };
  const more: Record<string, unknown>[] = [
    {},
    { route: 'messages' },
    { modelSent: 'acme/small' },
    { modelSent: 'two\nlines', clientName: 'Zed' },
    { modelSent: 'lines', clientName: 'Zed\ntwo' },
    { clientId: 'c2' },
    { service: null },
    { service: 'sandbox' },
    { startedAt: NOON - 3_600_000 },
    { startedAt: NOON - 26 * 3_600_000 },
    { lastAt: NOON + 50_000, clientId: null, clientName: null },
    { lastAt: NOON + 60_000, times: 3, clientId: null, clientName: null },
    { cost: priced },
    { cost: { ...priced, priceId: 4 } },
    { status: 500, firstByteMs: null, usage: UNKNOWN_USAGE },
    { firstByteMs: 400, durationMs: 900 },
  ];
  const both = [...more, ...more.toReversed()];
  await folder.record(...both.map((fields, index) => anExchange(`e${index}`, fields)));
  const file = join(folder.dataDir, 'gatehouse.db');
  using outside = new DatabaseSync(file, { readOnly: true });
  expectAgreement(outside);
});

test('totals of an earlier version count only the answers without tokens after the migration', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    anExchange('a', { usage: UNKNOWN_USAGE }),
    anExchange('b', { usage: UNKNOWN_USAGE, status: 429 }),
    anExchange('c', { usage: UNKNOWN_USAGE, route: 'models', clientName: 'Other' }),
  );
  const { db } = folder.store;
  await sql`update exchange_sum set unknown = exchanges`.execute(db);
  for (const statement of answersWithoutTokens.statements()) await sql.raw(statement).execute(db);
  const file = join(folder.dataDir, 'gatehouse.db');
  using outside = new DatabaseSync(file, { readOnly: true });
  expectAgreement(outside);
});

test('sums of an earlier version count exchanges without an answer and a code as errors, and stay right when these are deleted', async () => {
  await using folder = await openHistoryFolder();
  const { history, store } = folder;
  const lost = { status: null, endedBy: 'gateway' };
  await folder.record(
    anExchange('done'),
    anExchange('lost', lost),
    anExchange('left', { ...lost, endedBy: 'client' }),
    anExchange('refused', { status: 404 }),
  );
  const right = async () => ({
    days: (await history.usage('day', ALL_SERVICES)).map(({ errors }) => errors),
    clients: (await history.usage('client', ALL_SERVICES)).map(({ errors }) => errors),
    total: (await history.days('services')).at(-1)?.errors,
  });
  const before = await right();
  expect(before.total).toBe(2);
  // An earlier version counted the one that was refused only.
  for (const table of ['exchange_sum', 'exchange_usage']) {
    await sql`update ${sql.table(table)} set errors = 1 where errors > 0`.execute(store.db);
  }
  for (const statement of failedWithoutAnswer.statements())
    await sql.raw(statement).execute(store.db);
  expect(await right()).toEqual(before);
  using outside = new DatabaseSync(join(folder.dataDir, 'gatehouse.db'), { readOnly: true });
  expectAgreement(outside);
  await history.delete([anExchange('lost').id]);
  expect((await right()).total).toBe(1);
});

test('projects of an earlier version are counted after the migration, and stay right when exchanges are deleted', async () => {
  await using folder = await openHistoryFolder();
  const { history, store } = folder;
  await folder.record(
    anExchange('one', { ...ofProject('https://git.example.com/a'), firstByteMs: 400 }),
    anExchange('two', {
      ...ofProject('https://git.example.com/b'),
      status: null,
      endedBy: 'gateway',
    }),
    anExchange('three', {
      ...ofProject('https://git.example.com/a'),
      startedAt: NOON - 86_400_000,
    }),
    anExchange('four', ofProject(null)),
    anExchange('five'),
  );
  const read = async () => (await history.usageGroups({ ...ALL_SERVICES, by: 'project' })).groups;
  const before = await read();
  expect(before.map(({ name, exchanges, errors }) => [name, exchanges, errors])).toEqual([
    ['', 2, 0],
    ['https://git.example.com/a', 2, 0],
    ['https://git.example.com/b', 1, 1],
  ]);
  await sql`delete from exchange_usage where kind = 'project'`.execute(store.db);
  await sessionsAndProjects.fill?.(
    async (statement) => (await sql.raw<Record<string, unknown>>(statement).execute(store.db)).rows,
  );
  expect(await read()).toEqual(before);
  await history.delete([anExchange('two').id]);
  expect((await read()).map(({ name }) => name)).toEqual(['', 'https://git.example.com/a']);
});

const withHourWrites = (cacheWriteHour: number | null) => ({
  usage: {
    ...UNKNOWN_USAGE,
    source: 'reported',
    input: 90,
    output: 7,
    cacheWrite: 60,
    cacheWriteHour,
  },
});

test('tokens in caches for an hour of an earlier version are in all totals after the migration', async () => {
  await using folder = await openHistoryFolder();
  const { history, store } = folder;
  await folder.record(
    anExchange('one', { ...ofProject('https://git.example.com/a'), ...withHourWrites(40) }),
    anExchange('two', {
      ...withHourWrites(20),
      cost: { amount: 7, source: 'reported', priceId: 3 },
    }),
    anExchange('three', {
      ...withHourWrites(0),
      clientId: null,
      clientName: null,
      startedAt: NOON - 86_400_000,
    }),
    anExchange('four', withHourWrites(null)),
  );
  const read = async () => (await history.usageOverview(ALL_SERVICES)).totals.cacheWriteHour;
  expect(await read()).toBe(60);
  for (const table of ['exchange_sum', 'exchange_usage']) {
    await sql`update ${sql.table(table)} set cache_write_hour = 0, cache_write_hour_known = 0`.execute(
      store.db,
    );
  }
  expect(await read()).toBeNull();
  await cacheWritesForAnHour.fill?.(
    async (statement) => (await sql.raw<Record<string, unknown>>(statement).execute(store.db)).rows,
  );
  expect(await read()).toBe(60);
  using outside = new DatabaseSync(join(folder.dataDir, 'gatehouse.db'), { readOnly: true });
  expectAgreement(outside);
});

test('what limits refused is in all totals, those of an earlier version after the migration', async () => {
  await using folder = await openHistoryFolder();
  const { history, store } = folder;
  const refused = { attempts: 0, endedBy: 'gateway', usage: UNKNOWN_USAGE } as const;
  await folder.record(
    anExchange('money', { ...refused, status: 402, errorCode: 'local_limit_reached' }),
    anExchange('rate', {
      ...refused,
      ...ofProject('https://git.example.com/a'),
      status: 429,
      errorCode: 'local_rate_reached',
    }),
    anExchange('model', { ...refused, status: 403, errorCode: 'local_model_refused' }),
    anExchange('cut', { status: 200, errorCode: 'local_limit_reached' }),
    anExchange('key', { ...refused, status: 401, errorCode: 'invalid_local_key' }),
  );
  const read = async () => {
    const { errors, refused: count } = (await history.usageOverview(ALL_SERVICES)).totals;
    return [errors, count, (await history.days('services')).at(-1)?.refused];
  };
  expect(await read()).toEqual([5, 3, 3]);
  for (const table of ['exchange_sum', 'exchange_usage'])
    await sql`update ${sql.table(table)} set refused = 0`.execute(store.db);
  expect(await read()).toEqual([5, 0, 0]);
  await refusedByLimits.fill?.(
    async (statement) => (await sql.raw<Record<string, unknown>>(statement).execute(store.db)).rows,
  );
  expect(await read()).toEqual([5, 3, 3]);
  using outside = new DatabaseSync(join(folder.dataDir, 'gatehouse.db'), { readOnly: true });
  expectAgreement(outside);
});
