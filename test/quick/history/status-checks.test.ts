import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { History } from '../../../gateway/history/history.ts';
import { isFollowedByEqualCheck } from '../../../gateway/history/status-checks.ts';
import type { HistoryCursor, HistoryFilter } from '../../../shared/history/history.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';
import { exportChunks } from '../../kit/history/export-chunks.ts';
import { NOON, openHistoryFolder } from '../../kit/history/history-folder.ts';
import { ALL_SERVICES } from '../../kit/history/usage-query.ts';

/** Status check `number` of a video, five seconds after the one before. */
function aCheck(number: number, fields: Record<string, unknown> = {}) {
  return anExchange(`check-${number}`, {
    route: 'video-status',
    method: 'GET',
    pathReceived: '/v1/videos/video_1',
    modelAsked: null,
    modelSent: null,
    modelServed: null,
    repairs: [],
    startedAt: NOON + number * 5_000,
    ...fields,
  });
}

function countTo(end: number): number[] {
  return Array.from({ length: end }, (_, at) => at);
}

/** Pages through a filter: the id and the number of checks of each row. */
async function listRows(history: History, filter: HistoryFilter, limit = 4) {
  const rows: [string, number][] = [];
  let before: HistoryCursor | undefined;
  do {
    const page = await history.page({ filter, limit, before });
    rows.push(
      ...page.exchanges.map(({ id, checks }): [string, number] => [id, checks?.count ?? 1]),
    );
    before = page.next ?? undefined;
  } while (before !== undefined);
  return rows;
}

test('equal status checks of a video are one row with their number, at the place of the latest', async () => {
  await using folder = await openHistoryFolder();
  const others = countTo(3).map((at) =>
    anExchange(`other-${at}`, { startedAt: NOON + at * 12_000 }),
  );
  await folder.record(...countTo(14).map((at) => aCheck(at)), ...others);
  expect(await listRows(folder.history, {})).toEqual([
    ['check-13', 14],
    ['other-2', 1],
    ['other-1', 1],
    ['other-0', 1],
  ]);
  const [latest] = (await folder.history.page({ filter: {}, limit: 1 })).exchanges;
  expect(latest?.checks).toEqual({ count: 14, orMore: false, first: 'check-0' });
});

test('nothing is lost: counts, exports, sums and a list of each check have all of them', async () => {
  await using folder = await openHistoryFolder();
  await folder.record(...countTo(14).map((at) => aCheck(at)));
  expect(await folder.history.count({}, 100)).toBe(14);
  const each = await listRows(folder.history, { each: true });
  expect(each).toEqual(countTo(14).map((at) => [`check-${13 - at}`, 1]));
  expect(await folder.history.list({ limit: 100 })).toHaveLength(14);
  const [row] = await folder.history.usage('client', ALL_SERVICES);
  expect(row).toMatchObject({ exchanges: 14, input: 140, output: 70 });
  expect((await exportChunks(folder, { format: 'jsonl' })).at(-1)?.exchanges).toBe(14);
  expect(await folder.history.get(aCheck(3).id)).not.toBeNull();
});

test('checks that differ in status, client, video or day are rows of their own', async () => {
  await using folder = await openHistoryFolder();
  const tomorrow = NOON + 24 * 3_600_000;
  await folder.record(
    aCheck(0),
    aCheck(1, { endedBy: 'gateway' }),
    aCheck(2, { status: 502, errorCode: 'upstream_unreachable', endedBy: 'gateway' }),
    aCheck(3, { clientId: 'c2', clientName: 'Zed' }),
    aCheck(4, { pathReceived: '/v1/videos/video_2' }),
    aCheck(5, { startedAt: tomorrow }),
    aCheck(6, { clientId: null, clientName: null, status: 401, startedAt: tomorrow + 1 }),
    aCheck(7, { clientId: null, clientName: null, status: 401, startedAt: tomorrow + 2 }),
  );
  expect(await listRows(folder.history, {})).toEqual([
    ['check-7', 1],
    ['check-6', 1],
    ['check-5', 1],
    ['check-4', 1],
    ['check-3', 1],
    ['check-2', 1],
    // The answer of Gatehouse to a check within five seconds is the same to the client.
    ['check-1', 2],
  ]);
});

test.each([
  ['with the search index', {}],
  ['without it', { getRetention: null }],
])('a filter counts the checks that it matches, %s', async (_, options) => {
  await using folder = await openHistoryFolder(options);
  const { history } = folder;
  await folder.record(...countTo(10).map((at) => aCheck(at)), anExchange('other'));
  const [since, until] = [NOON + 10_000, NOON + 30_000];
  expect(await listRows(history, { text: 'video_1' })).toEqual([['check-9', 10]]);
  expect(await listRows(history, { text: 'video_1', since, until })).toEqual([['check-5', 4]]);
  expect(await listRows(history, { routes: ['video-status'], until })).toEqual([['check-5', 6]]);
  expect(await listRows(history, { failed: true })).toEqual([]);
});

test('a check that arrives between two pages moves its row up, and no other row is missed', async () => {
  await using folder = await openHistoryFolder();
  const { history } = folder;
  const others = countTo(9).map((at) =>
    anExchange(`other-${at}`, { startedAt: NOON + at * 1_000 }),
  );
  await folder.record(aCheck(0, { startedAt: NOON + 7_500 }), ...others);
  const first = await history.page({ filter: {}, limit: 2 });
  expect(first.exchanges.map(({ id }) => id)).toEqual(['other-8', 'check-0']);
  await folder.record(aCheck(9));
  const second = await history.page({ filter: {}, limit: 2, before: first.next ?? undefined });
  expect(second.exchanges.map(({ id }) => id)).toEqual(['other-7', 'other-6']);
  const newest = await history.page({ filter: {}, limit: 2 });
  expect(newest.exchanges.map(({ id, checks }) => [id, checks?.count])).toEqual([
    ['check-9', 2],
    ['other-8', undefined],
  ]);
});

test('thousands of checks without a pause end a page early, and the next one goes on', async () => {
  await using folder = await openHistoryFolder();
  const checks = countTo(4_600).map((at) => aCheck(at, { startedAt: NOON + at }));
  await folder.record(anExchange('oldest', { startedAt: NOON - 1 }), ...checks);
  const page = await folder.history.page({ filter: {}, limit: 5 });
  expect(page.exchanges.map(({ id, checks: found }) => [id, found?.count])).toEqual([
    ['check-4599', 4_600],
  ]);
  expect(page.next).not.toBeNull();
  expect(await listRows(folder.history, {})).toEqual([
    ['check-4599', 4_600],
    ['oldest', 1],
  ]);
});

test('equal checks are found by their index', async () => {
  await using folder = await openHistoryFolder();
  const { rows } = await sql<{ detail: string }>`explain query plan
    select id, ${isFollowedByEqualCheck({})} from exchange`.execute(folder.store.db);
  expect(rows.map(({ detail }) => detail).join('\n')).toMatch(
    /SEARCH checked USING (COVERING )?INDEX exchange_by_check \(<expr>=\? AND started_at>\?\)/u,
  );
});
