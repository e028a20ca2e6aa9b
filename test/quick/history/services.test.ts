import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { findEnding } from '../../../shared/exchange/outcome.ts';
import type { RepairCode } from '../../../shared/exchange/repair.ts';
import { describeFailure } from '../../../shared/failure/find-failure.ts';
import { parseFilter } from '../../../shared/filter-language/parse.ts';
import { toFilter } from '../../../shared/filter-language/to-filter.ts';
import { ANSWERED, type Attention, type HistoryFilter } from '../../../shared/history/history.ts';
import { toCause } from '../../../gateway/history/failure-cause.ts';
import { createExpectedSchema, DATABASE_KINDS } from '../../../gateway/store/store.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { exportChunks, joinText } from '../../kit/history/export-chunks.ts';
import { type HistoryFolder, NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { ALL_SERVICES } from '../../kit/history/usage-query.ts';

const SERVICE = 'https://models.example.com';
const ANY = {
  service: SERVICE,
  serviceName: 'Models',
  usedSince: 0,
  reachable: false,
  keyMendedAt: 0,
};

async function idsOf({ history }: HistoryFolder, filter: HistoryFilter): Promise<string[]> {
  const { exchanges } = await history.page({ filter, limit: 50 });
  expect(await history.count(filter, 50)).toBe(exchanges.length);
  return exchanges.map(({ id }) => id);
}

test('finding 3: every exchange knows its service: in the record, the list, a filter and the export', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    anExchange('paid'),
    anExchange('free', { service: 'sandbox' }),
    anExchange('old', { service: null }),
  );
  const { history } = folder;
  expect((await history.get(anExchange('free').id))?.exchange.service).toBe('sandbox');
  expect(await idsOf(folder, { services: ['sandbox'] })).toEqual(['free']);
  expect(await idsOf(folder, { services: ['sandbox', SERVICE], text: 'cline' })).toEqual([
    'free',
    'paid',
  ]);
  const { exchanges } = await history.page({ filter: {}, limit: 10 });
  expect(exchanges.map(({ service }) => service)).toEqual([null, 'sandbox', SERVICE]);
  expect((await history.names()).services.toSorted()).toEqual([SERVICE, 'sandbox']);
  const csv = joinText(await exportChunks(folder, { format: 'csv' }));
  expect(csv).toMatch(/^id,started_at,service,/u);
  expect(csv).toContain(`,${SERVICE},`);
});

test("the sandbox's figures are never added to paid ones", async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    anExchange('paid'),
    anExchange('old', { service: null }),
    ...['f1', 'f2', 'f3'].map((id) => anExchange(id, { service: 'sandbox' })),
  );
  const { history } = folder;
  expect((await history.days('services')).at(-1)).toMatchObject({ exchanges: 2, input: 20 });
  expect((await history.days('sandbox')).at(-1)).toMatchObject({ exchanges: 3, input: 30 });
  const models = await history.perModel('sandbox');
  expect(models.get('acme/large')).toMatchObject({ exchanges: 3, inputTokens: 30 });
  expect(await history.usage('client', ALL_SERVICES)).toMatchObject([{ key: 'Cline', input: 20 }]);
});

test('finding 11: "2xx" means answered whole: cut answers are failures only, with the index and by time', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    anExchange('whole'),
    anExchange('cut', { errorCode: 'upstream_connection_lost' }),
    anExchange('html', { errorCode: 'unexpected_content_type' }),
    anExchange('left', { endedBy: 'client' }),
  );
  expect(await idsOf(folder, ANSWERED)).toEqual(['whole']);
  expect(await idsOf(folder, { failed: true })).toEqual(['html', 'cut']);
  expect(await idsOf(folder, { left: true })).toEqual(['left']);
  const listed = await folder.history.list({ filter: ANSWERED, limit: 10 });
  expect(listed.map(({ id }) => id)).toEqual(['whole']);
});

test('“failed” means one thing: filters, sums, causes, words and alarms agree for every way to end', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const endings = [null, 200, 204, 302, 401, 404, 429, 500].flatMap((status) =>
    [null, 'overloaded', 'upstream_connection_lost', 'unexpected_content_type'].flatMap(
      (errorCode) =>
        (['client', 'gateway', 'service'] as const).map((endedBy) =>
          anExchange(`${status}-${errorCode}-${endedBy}`, {
            status,
            errorCode,
            endedBy,
            repairs: [],
          }),
        ),
    ),
  );
  await folder.record(...endings);
  const idsBy = (ending: string) =>
    endings.filter((one) => findEnding(one) === ending).map(({ id }) => id);
  const expected: readonly (readonly [HistoryFilter, readonly string[]])[] = [
    [{ failed: true }, idsBy('failed')],
    [{ failed: false }, [...idsBy('answered'), ...idsBy('left')]],
    [{ left: true }, idsBy('left')],
    [{ answered: true }, idsBy('answered')],
    [{ errors: ['*'] }, idsBy('failed')],
    [{ text: 'client left' }, idsBy('left')],
  ];
  for (const [filter, ids] of expected) {
    // With the index, and by time.
    for (const range of [{}, { since: 0 }]) {
      const { exchanges } = await history.page({ filter: { ...filter, ...range }, limit: 200 });
      expect(exchanges.map(({ id }) => id).toSorted()).toEqual([...ids].toSorted());
    }
  }
  expect((await history.days('services')).at(-1)?.errors).toBe(idsBy('failed').length);
  for (const one of endings) {
    expect(describeFailure(one) === null).toBe(findEnding(one) === 'answered');
    expect(toCause(one) === null).toBe(findEnding(one) !== 'failed');
  }
});

test('causes and programs are filtered by, with the index and by time', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    anExchange('cut', { errorCode: 'upstream_connection_lost' }),
    anExchange('busy', { status: 503 }),
    anExchange('left', { status: null, endedBy: 'client' }),
    anExchange('nameless', { userAgent: null }),
  );
  for (const since of [undefined, 0]) {
    const range = since === undefined ? {} : { since };
    expect(await idsOf(folder, { errors: ['http_503'], ...range })).toEqual(['busy']);
    expect(await idsOf(folder, { agents: [''], ...range })).toEqual(['nameless']);
  }
  const errors = ['http_503', 'upstream_connection_lost'];
  expect(await idsOf(folder, { errors, agents: ['Cline/3.0'] })).toEqual(['busy', 'cut']);
});

function repaired(code: RepairCode) {
  return { repairs: [{ code, before: '', after: '', advice: '' }] };
}

test('the alarm of a repair shows the requests that it counts, and no others', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(
    ...['a', 'b', 'c'].map((id) => anExchange(id, repaired('path-missing-v1'))),
    anExchange('other', repaired('model-id')),
    anExchange('none', { repairs: [] }),
    anExchange('client', { ...repaired('path-missing-v1'), clientName: 'Zed' }),
  );
  const [alarm, ...others] = await folder.history.attention(ANY);
  expect(others).toEqual([]);
  expect(alarm).toMatchObject({ kind: 'repair', code: 'path-missing-v1', times: 3 });
  const { terms } = parseFilter(alarm !== undefined && 'filter' in alarm ? alarm.filter : '');
  const filter = toFilter(
    terms.map(({ term }) => term),
    { now: NOON, services: [] },
  );
  expect(await idsOf(folder, filter)).toEqual(['c', 'b', 'a']);
  expect(await idsOf(folder, { not: { repairs: ['path-*'] } })).toEqual(['none', 'other']);
});

test('repaired is what was corrected, found with the index and without', async () => {
  await using folder = await openHistoryFolder();
  const codes = ['model-id', 'held', 'cache-reason-asked', 'model-suggestion'] as const;
  await folder.record(
    ...codes.map((code) => anExchange(code, repaired(code))),
    anExchange('both', { repairs: codes.flatMap((code) => repaired(code).repairs) }),
    anExchange('none', { repairs: [] }),
  );
  // A time range is read without the index.
  for (const range of [{}, { since: NOON - 1, until: NOON + 10 }]) {
    expect(await idsOf(folder, { repaired: true, ...range })).toEqual(['both', 'model-id']);
    expect((await idsOf(folder, { repaired: false, ...range })).toSorted()).toEqual(
      [...codes.slice(1), 'none'].toSorted(),
    );
  }
});

test('totals of an earlier version are kept, of an unknown service', async () => {
  const names = Object.keys(DATABASE_KINDS.gatehouse.migrations).slice(0, 9);
  await using folder = await openHistoryFolder({}, async (file) => {
    const { statements } = createExpectedSchema(DATABASE_KINDS.gatehouse.migrations, names);
    using database = new DatabaseSync(file);
    database.exec(`pragma application_id = ${DATABASE_KINDS.gatehouse.applicationId}`);
    for (const statement of statements.values()) database.exec(statement);
    for (const name of names)
      database.prepare('insert into kysely_migration values (?, ?)').run(name, '2026');
    database.exec(
      `insert into exchange_sum values ('2026-11-21', 'c1', 'Cline', 'm', 1, 7, 1, 7, 0, 0, 70, 7, 35, 7, 0, 0, 0, 0, 0, 0)`,
    );
  });
  const { history } = folder;
  expect((await history.days('services')).at(-1)).toMatchObject({ exchanges: 7, errors: 1 });
  expect((await history.days('sandbox')).at(-1)).toMatchObject({ exchanges: 0 });
  await folder.record(anExchange('new', { startedAt: NOON }));
  expect((await history.days('services')).at(-1)).toMatchObject({ exchanges: 8, input: 80 });
});

test('an alarm looks only at exchanges of the service in use, since it was put in use', async () => {
  await using folder = await openHistoryFolder();
  const errorMessage = 'Nothing is listening at this address.';
  const lost = { status: 502, errorCode: 'upstream_unreachable', errorMessage, repairs: [] };
  await folder.record(...['a', 'b', 'c', 'd'].map((id) => anExchange(id, lost)));
  const { history } = folder;
  const [alarm] = await history.attention(ANY);
  expect(alarm).toMatchObject({ kind: 'unreachable', failures: 4, sentence: errorMessage });
  expect(await history.attention({ ...ANY, service: 'https://new.example.com' })).toEqual([]);
  expect(await history.attention({ ...ANY, usedSince: NOON + 1 })).toEqual([]);
  expect(await history.attention({ ...ANY, reachable: true })).toEqual([]);
});

test('requests that a limit refused are no alarm of their client: the limit has one', async () => {
  await using folder = await openHistoryFolder();
  for (const errorCode of ['local_limit_reached', 'local_rate_reached']) {
    const refused = { status: 402, errorCode, endedBy: 'gateway', attempts: 0, repairs: [] };
    await folder.record(...[1, 2, 3, 4].map((n) => anExchange(`${errorCode}-${n}`, refused)));
  }
  expect(await folder.history.attention(ANY)).toEqual([]);
});

test('a dismissed alarm stays hidden until it occurs again', async () => {
  await using folder = await openHistoryFolder();
  const refused = { clientName: null, clientId: null, status: 401, attempts: 0 };
  const missing = { ...refused, errorCode: 'missing_local_key', userAgent: 'curl/8', times: 5 };
  await folder.record(anExchange('first', { ...missing, startedAt: NOON - 1000 }));
  const { history } = folder;
  const shown = async () => await history.withoutDismissed(await history.attention(ANY));
  const [alarm] = await shown();
  if (alarm?.kind !== 'unknown') throw new Error('There is no alarm.');
  await history.dismiss(alarm.id, alarm.at);
  expect(await shown()).toEqual([]);
  await folder.record(anExchange('second', { ...missing, startedAt: NOON }));
  expect(await shown()).toMatchObject([{ kind: 'unknown', userAgent: 'curl/8', requests: 10 }]);
});

const KEY_ALARM = { kind: 'key', id: 'key 1', sentence: 'The key is missing.' } as const;

test('a dismissed repair stays hidden for a week although every request needs it', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const alarm: Attention = {
    kind: 'repair',
    id: 'repair',
    clientName: 'Cline',
    code: 'model-id',
    advice: '',
    times: 3,
    at: NOON,
    filter: 'repair:model-id',
  };
  const day = 24 * 3_600_000;
  await history.dismiss(alarm.id, alarm.at - 6 * day);
  expect(await history.withoutDismissed([alarm])).toEqual([]);
  await history.dismiss(alarm.id, alarm.at - 8 * day);
  expect(await history.withoutDismissed([alarm])).toEqual([alarm]);
});

test('a dismissal by a clock that was ahead hides that occurrence only', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const [ahead, later] = [NOON + 3_600_000, NOON + 60_000];
  await history.dismiss(KEY_ALARM.id, ahead);
  expect(await history.withoutDismissed([{ ...KEY_ALARM, at: ahead }])).toEqual([]);
  const again = { ...KEY_ALARM, at: later };
  expect(await history.withoutDismissed([again])).toEqual([again]);
  await history.dismiss(KEY_ALARM.id, later);
  expect(await history.withoutDismissed([again])).toEqual([]);
});

test('alarms that are dismissed at the same time are all hidden', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const alarms = Array.from({ length: 9 }, (_, n) => ({ ...KEY_ALARM, id: `key ${n}`, at: NOON }));
  await Promise.all(alarms.map(({ id, at }) => history.dismiss(id, at)));
  expect(await history.withoutDismissed(alarms)).toEqual([]);
});

test('a damaged list of dismissed alarms hides none and is replaced', async () => {
  await using folder = await openHistoryFolder();
  const { history, store } = folder;
  const value = '{"key 1":';
  await store.db.insertInto('setting').values({ key: 'attention-dismissed', value }).execute();
  const alarm = { ...KEY_ALARM, at: NOON };
  expect(await history.withoutDismissed([alarm])).toEqual([alarm]);
  await history.dismiss(alarm.id, alarm.at);
  expect(await history.withoutDismissed([alarm])).toEqual([]);
});
