import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { ExchangeId, RunId } from '../../../shared/exchange/exchange.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { READ_MIGRATION, readSession } from '../../../gateway/history/usage/read-session.ts';
import { MIGRATIONS } from '../../../gateway/store/migrate.ts';
import { anExchange, ofProject } from '../../kit/history/an-exchange.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';

const DAY = 24 * 3_600_000;
const SERVICES = 'services' as const;
const WEEK = { scope: SERVICES, period: { since: '2026-11-15', until: '2026-11-21' } };

function paid(amount: number, priceId = 1) {
  return { amount, source: 'reported', priceId };
}

function cached(cacheRead: number) {
  return { usage: { ...UNKNOWN_USAGE, input: 9_000, output: 1, cacheRead, source: 'reported' } };
}

test('a period has its totals, those of the period before, and a step for each day', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    anExchange('a', { cost: paid(300) }),
    anExchange('b', {
      startedAt: NOON - DAY,
      cost: { amount: 50, source: 'estimated', priceId: 1 },
    }),
    anExchange('c', { status: 500, usage: UNKNOWN_USAGE }),
    anExchange('d', { cost: { amount: null, source: 'unpriced', priceId: null } }),
    anExchange('e', { startedAt: NOON - 8 * DAY, cost: paid(7) }),
    anExchange('f', { service: SANDBOX_ID, cost: paid(1_000) }),
  );
  const { totals, before, steps, bucket } = await folder.history.usageOverview(WEEK);
  expect(totals).toMatchObject({
    exchanges: 4,
    errors: 1,
    cost: 350,
    costEstimated: 1,
    unpriced: 1,
    input: 30,
  });
  expect(before).toMatchObject({ exchanges: 1, cost: 7, unpriced: 0 });
  expect(bucket).toBe('day');
  expect(steps.map(({ since, exchanges, cost }) => [since, exchanges, cost])).toEqual([
    ['2026-11-15', 0, null],
    ['2026-11-16', 0, null],
    ['2026-11-17', 0, null],
    ['2026-11-18', 0, null],
    ['2026-11-19', 0, null],
    ['2026-11-20', 1, 50],
    ['2026-11-21', 3, 300],
  ]);
  const sandbox = await folder.history.usageOverview({ ...WEEK, scope: 'sandbox' });
  expect(sandbox.totals).toMatchObject({ exchanges: 1, cost: 1_000 });
});

test('groups are those of models, clients, routes and tags, the most expensive first', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  await folder.record(
    anExchange('ex-0000000000000001', {
      cost: paid(300),
      modelSent: 'acme/large',
      clientName: 'Cline',
    }),
    anExchange('ex-0000000000000002', {
      cost: paid(900),
      modelSent: 'acme/small',
      route: 'messages',
    }),
    anExchange('ex-0000000000000003', {
      cost: paid(1),
      modelSent: 'acme/large',
      clientName: 'Zed',
    }),
    anExchange('ex-0000000000000004', { modelSent: null, modelAsked: null, route: 'models' }),
  );
  const list = async (by: 'model' | 'client' | 'project' | 'route' | 'tag') =>
    (await history.usageGroups({ ...WEEK, by })).groups.map(({ name, cost }) => [name, cost]);
  expect(await list('model')).toEqual([
    ['acme/small', 900],
    ['acme/large', 301],
    ['', null],
  ]);
  expect(await list('client')).toEqual([
    ['Cline', 1_200],
    ['Zed', 1],
  ]);
  expect(await list('route')).toEqual([
    ['messages', 900],
    ['chat', 301],
    ['models', null],
  ]);
  expect(await list('tag')).toEqual([]);
  await history.mark(ExchangeId.parse('ex-0000000000000001'), { addTags: ['Bug', 'later'] });
  await history.mark(ExchangeId.parse('ex-0000000000000003'), { addTags: ['bug'] });
  expect(await list('tag')).toEqual([
    ['Bug', 301],
    ['later', 300],
  ]);
});

test('projects are groups, with what names none beside them, also after exchanges are deleted', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  await folder.record(
    anExchange('ex-0000000000000001', { cost: paid(5), ...ofProject('https://git.example.com/a') }),
    anExchange('ex-0000000000000002', {
      cost: paid(70),
      ...ofProject('https://git.example.com/b'),
    }),
    anExchange('ex-0000000000000003', { cost: paid(3), ...ofProject('https://git.example.com/a') }),
    anExchange('ex-0000000000000004', { cost: paid(900) }),
    anExchange('ex-0000000000000005', { cost: paid(2), ...ofProject(null) }),
  );
  const list = async () =>
    (await history.usageGroups({ ...WEEK, by: 'project' })).groups.map((group) => [
      group.name,
      group.cost,
      group.exchanges,
    ]);
  expect(await list()).toEqual([
    ['', 902, 2],
    ['https://git.example.com/b', 70, 1],
    ['https://git.example.com/a', 8, 2],
  ]);
  await history.delete([
    ExchangeId.parse('ex-0000000000000002'),
    ExchangeId.parse('ex-0000000000000003'),
  ]);
  expect(await list()).toEqual([
    ['', 902, 2],
    ['https://git.example.com/a', 5, 1],
  ]);
});

function ofRun(run: string, amount: number, fields = {}) {
  return { run, cost: paid(amount), ...fields };
}

test('runs are groups: of the period, of the scope, and what is in none is one more, such as one request without a session', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  await folder.record(
    anExchange('ex-0000000000000001', ofRun('run-a', 300)),
    anExchange('ex-0000000000000002', ofRun('run-b', 900, { conversation: null })),
    anExchange('ex-0000000000000003', ofRun('run-a', 1)),
    anExchange('ex-0000000000000004', ofRun('run-b', 2, { conversation: null })),
    anExchange('ex-0000000000000005', ofRun('run-c', 7, { conversation: null })),
    anExchange('ex-0000000000000006', ofRun('run-d', 4, { startedAt: NOON - 30 * DAY })),
    anExchange('ex-0000000000000007', ofRun('run-e', 5, { service: SANDBOX_ID })),
    anExchange('ex-0000000000000008', ofRun('run-f', 6)),
  );
  const titles = new Map([['run-a', 'Mend it']]);
  const list = async (query: typeof WEEK | (Omit<typeof WEEK, 'scope'> & { scope: 'sandbox' })) =>
    (await history.usageOfRuns(query, () => Promise.resolve(titles))).groups.map((group) => [
      group.name,
      group.run,
      group.cost,
      group.exchanges,
    ]);
  expect(await list(WEEK)).toEqual([
    ['', 'run-b', 902, 2],
    ['Mend it', 'run-a', 301, 2],
    ['', null, 7, 1],
    ['', 'run-f', 6, 1],
  ]);
  expect(await list({ ...WEEK, scope: 'sandbox' })).toEqual([['', 'run-e', 5, 1]]);
  const { groups } = await history.usageOfRuns(WEEK, () => Promise.resolve(titles));
  const { totals } = await history.usageOverview(WEEK);
  for (const name of ['exchanges', 'errors', 'input', 'output', 'cost'] as const) {
    const sum = groups.reduce((all, group) => all + (group[name] ?? 0), 0);
    expect([name, sum]).toEqual([name, totals[name]]);
  }
  expect(groups.find(({ run }) => run === null)).toMatchObject({
    firstByte: { of: 1 },
    rate: totals.rate === null ? null : { of: 1 },
  });
});

test('a listed run has what it costs: of the sandbox only where it has nothing else, and what is not known', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const estimated = { amount: 5, source: 'estimated', priceId: 1 } as const;
  const unpriced = { amount: null, source: 'unpriced', priceId: null } as const;
  const sandbox = { service: SANDBOX_ID };
  await folder.record(
    anExchange('ex-0000000000000001', ofRun('run-a', 300)),
    anExchange('ex-0000000000000002', { ...ofRun('run-a', 0), cost: estimated }),
    anExchange('ex-0000000000000003', { ...ofRun('run-a', 0), cost: unpriced }),
    anExchange('ex-0000000000000004', ofRun('run-a', 7, sandbox)),
    anExchange('ex-0000000000000005', ofRun('run-b', 9, sandbox)),
    anExchange('ex-0000000000000006', { ...ofRun('run-c', 0), cost: unpriced }),
    anExchange('ex-0000000000000007', { ...ofRun('run-d', 0), cost: null }),
  );
  const runs = ['run-a', 'run-b', 'run-c', 'run-d'].map((id) => ({
    id: RunId.parse(id),
    title: '',
    clientName: null,
    conversation: null,
    models: [],
    startedAt: NOON,
    endedAt: NOON,
    steps: 1,
    failed: 0,
    endedWell: true,
    calls: 0,
    input: null,
    output: null,
    cacheRead: null,
    pinned: 0,
  }));
  const page = await history.costRuns({ runs, matches: {}, next: null });
  expect(page.runs.map(({ money }) => money)).toEqual([
    { cost: 305, costEstimated: 1, unpriced: 1, isFree: false },
    { cost: 9, costEstimated: 0, unpriced: 0, isFree: true },
    { cost: null, costEstimated: 0, unpriced: 1, isFree: false },
    { cost: null, costEstimated: 0, unpriced: 0, isFree: false },
  ]);
});

test('a session is summed with the sessions of its agents, and with those it is of', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    anExchange('ex-0000000000000001', { conversation: 's-1', run: 'run-1', cost: paid(300) }),
    anExchange('ex-0000000000000002', { conversation: 's-2', run: 'run-1', cost: paid(20) }),
    anExchange('ex-0000000000000003', { conversation: 's-1', run: null, cost: paid(1) }),
    anExchange('ex-0000000000000004', { conversation: 's-3', run: 'run-3', cost: paid(9_000) }),
    anExchange('ex-0000000000000005', {
      conversation: 's-1',
      run: 'run-1',
      startedAt: NOON - DAY,
      service: SANDBOX_ID,
      cost: paid(500),
    }),
  );
  const read = (session: string) => readSession(folder.dataDir, session);
  expect(read('s-1')).toMatchObject({
    session: 's-1',
    of: 'services',
    currency: 'USD',
    usage: { exchanges: 3, errors: 0, input: 30, output: 15, cost: 321 },
  });
  expect(read('s-2').usage).toMatchObject({ exchanges: 2, cost: 320 });
  expect(read('s-9').usage).toMatchObject({ exchanges: 0, cost: null, input: null });
});

test('a session is read from the tables of this version only', async () => {
  expect(Object.keys(MIGRATIONS).toSorted().at(-1)).toBe(READ_MIGRATION);
  await using folder = await openHistoryFolder();
  await sql`insert into kysely_migration values ('9999-later', '')`.execute(folder.store.db);
  expect(() => readSession(folder.dataDir, 's-1')).toThrow('Another version');
});

test('runs are found among many requests of none, and where many begin at the same moment', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  await folder.record(
    anExchange('ex-0000000000000001', ofRun('run-a', 300, { startedAt: NOON - DAY })),
    ...Array.from({ length: 11_000 }, (_, index) =>
      anExchange(`ex-${String(index).padStart(16, '1')}`, {
        conversation: null,
        run: `run-${index}`,
        startedAt: index < 6_000 ? NOON : NOON - index,
      }),
    ),
  );
  const { groups } = await history.usageOfRuns(WEEK, () => Promise.resolve(new Map()));
  expect(groups.map(({ run }) => run)).toEqual(['run-a', null]);
});

test('median and 95th percentile are within 15 % of the exact ones', async () => {
  await using folder = await openHistoryFolder();
  const values = Array.from({ length: 400 }, (_, place) => 20 + ((place * 7_919) % 9_000));
  await folder.record(
    ...values.map((firstByteMs, place) =>
      anExchange(`e${place}`, {
        firstByteMs,
        durationMs: firstByteMs + 1_000,
        usage: { ...UNKNOWN_USAGE, output: 1 + (place % 200), source: 'reported' },
      }),
    ),
    anExchange('models', { route: 'models', firstByteMs: 1 }),
    anExchange('failed', { status: 500, firstByteMs: 1 }),
  );
  const { totals } = await folder.history.usageOverview(WEEK);
  const exact = values.toSorted((one, other) => one - other);
  const { firstByte, rate } = totals;
  expect(firstByte?.of).toBe(400);
  expect((firstByte?.median ?? 0) / (exact[199] ?? 0)).toBeCloseTo(1, 0);
  for (const [found, expected] of [
    [firstByte?.median, exact[199]],
    [firstByte?.p95, exact[379]],
    [rate?.median, 100],
    [rate?.p95, 190],
  ]) {
    expect(Math.abs((found ?? 0) / (expected ?? 1) - 1)).toBeLessThan(0.15);
  }
});

test('the heat map has each hour of the week in local time, without requests that had no local key', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    anExchange('a', { cost: paid(5) }),
    anExchange('b', { startedAt: NOON + 59 * 60_000, cost: paid(6) }),
    anExchange('c', {
      clientId: null,
      clientName: null,
      status: 401,
      errorCode: 'missing_local_key',
      endedBy: 'gateway',
      attempts: 0,
    }),
  );
  const { hours, totals } = await folder.history.usageOverview(WEEK);
  // Saturday at noon.
  expect(hours.flatMap((hour, place) => (hour.exchanges > 0 ? [[place, hour]] : []))).toEqual([
    [5 * 24 + 12, { exchanges: 2, cost: 11 }],
  ]);
  expect(totals.exchanges).toBe(3);
});

test('the saving of cached input is by the prices in the rows, and says of how many tokens', async () => {
  await using folder = await openHistoryFolder();
  const add = async (id: number, prices: object, tiers: unknown[] = []) =>
    await folder.store.write([
      {
        sql: `insert into price (id, service, model, valid_from, prices, tiers, origin, created_at) values (?, null, 'm', 0, ?, ?, '', 0)`,
        rows: [
          [
            id,
            JSON.stringify({
              output: null,
              cacheWrite: null,
              cacheWriteHour: null,
              reasoning: null,
              request: null,
              videoSecond: {},
              ...prices,
            }),
            JSON.stringify(tiers),
          ],
        ],
      },
    ]);
  await add(1, { input: 3_000_000, cacheRead: 300_000 });
  await add(2, { input: 1_000_000, cacheRead: null });
  await add(3, { input: 1_000_000, cacheRead: 1 }, [{ aboveInput: 5, prices: {} }]);
  await folder.record(
    anExchange('a', { cost: paid(1, 1), ...cached(1_000) }),
    anExchange('b', { cost: paid(1, 2), ...cached(100) }),
    anExchange('c', { cost: paid(1, 3), ...cached(20) }),
    anExchange('d', cached(3)),
  );
  const { cache } = await folder.history.usageOverview(WEEK);
  expect(cache).toEqual({ tokens: 1_123, counted: 1_100, saved: 2_700 });
});

test.each([
  ['2026-11-21', '2026-11-20', 'The period ends before it begins.'],
  ['1990-01-01', '2026-11-20', 'A period has at most 3660 days.'],
])('a period from %s to %s is refused', async (since, until, message) => {
  await using folder = await openHistoryFolder();
  const query = { scope: SERVICES, period: { since, until } };
  await expect(folder.history.usageOverview(query)).rejects.toThrow(message);
});

/** Steps of periods with a change of clocks, as a process in that time zone lists them. */
async function listSteps(zone: string, period: object): Promise<readonly string[]> {
  const module = join(
    import.meta.dirname,
    '..',
    '..',
    '..',
    'gateway',
    'history',
    'usage',
    'periods.ts',
  );
  const script = `const { listSteps, chooseBucket } = await import(${JSON.stringify(module)});
    const period = ${JSON.stringify(period)};
    const local = (hour) => new Date(hour * 3600000).toTimeString().slice(0, 5);
    console.log(listSteps(period, chooseBucket(period)).map(({ since, until, hour }) =>
      hour === null ? since + ' ' + until : since + ' ' + local(hour)).join('\\n'));`;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '-e', script],
    {
      env: { ...process.env, TZ: zone },
    },
  );
  return stdout.trim().split('\n');
}

test.each([
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['America/New_York', '2026-11-01', 25],
  ['Africa/Cairo', '2026-04-24', 23],
  ['Asia/Kolkata', '2026-11-21', 25],
  ['UTC', '2026-11-21', 24],
])('in %s, %s has %i hours', async (zone, day, hours) => {
  const steps = await listSteps(zone, { since: day, until: day });
  expect(steps).toHaveLength(hours);
  expect(new Set(steps.map((step) => step.slice(0, 10)))).toEqual(new Set([day]));
});

test.each(['Europe/Berlin', 'Africa/Cairo', 'Pacific/Apia', 'America/Santiago'])(
  'weeks begin on Monday and months on their first day in %s',
  async (zone) => {
    const weeks = await listSteps(zone, { since: '2026-03-18', until: '2026-06-01' });
    expect([weeks[0], weeks[1], weeks.at(-1)]).toEqual([
      '2026-03-18 2026-03-22',
      '2026-03-23 2026-03-29',
      '2026-06-01 2026-06-01',
    ]);
    const months = await listSteps(zone, { since: '2026-02-10', until: '2026-12-09' });
    expect(months).toHaveLength(11);
    expect([months[0], months[1], months.at(-1)]).toEqual([
      '2026-02-10 2026-02-28',
      '2026-03-01 2026-03-31',
      '2026-12-01 2026-12-09',
    ]);
  },
);
