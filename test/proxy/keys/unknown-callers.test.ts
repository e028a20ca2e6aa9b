import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { type Harness, startHarness } from '../../kit/harness.ts';
import { ALL_SERVICES } from '../../kit/usage-query.ts';

const MINUTE = 60_000;
const NOON = new Date(2026, 10, 21, 12).getTime();
const LONG = 'x'.repeat(15_000);

/** Sends `count` concurrent requests without a key; `different` makes each one. Returns the exchanges that the answers name. */
async function flood(
  harness: Harness,
  count: number,
  toRequest: (at: number) => { readonly path?: string; readonly headers?: Record<string, string> },
): Promise<string[]> {
  const dispatcher = new Agent({ connections: 20 });
  const exchangeIds: string[] = [];
  const ask = async (at: number) => {
    const { path = '/v1/models', headers = {} } = toRequest(at);
    const answer = await request(harness.url + path, { headers, dispatcher });
    exchangeIds.push(String(answer.headers['x-gatehouse-exchange']));
    await answer.body.dump();
  };
  for (let from = 0; from < count; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => ask(from + at)));
  }
  await dispatcher.close();
  return exchangeIds;
}

async function databaseSize({ dataDir }: Harness): Promise<number> {
  const names = ['gatehouse.db', 'gatehouse.db-wal'];
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(dataDir, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('equal requests without a key share one row with their count, and every answer names this row', async () => {
  await using harness = await startHarness();
  const exchangeIds = await flood(harness, 300, () => ({ headers: { 'user-agent': 'lost/1' } }));
  const [record, ...others] = await harness.records();
  expect(others).toEqual([]);
  expect(record).toMatchObject({
    times: 300,
    userAgent: 'lost/1',
    errorCode: 'missing_local_key',
    clientName: null,
  });
  expect(record?.lastAt).toBeGreaterThanOrEqual(record?.startedAt ?? Number.MAX_SAFE_INTEGER);
  expect(new Set(exchangeIds)).toEqual(new Set([record?.id]));
  const [day] = await harness.gateway.history.usage('day', ALL_SERVICES);
  expect(day).toMatchObject({ exchanges: 300, errors: 300, unknown: 0 });
});

test('equal requests of another minute get another row, at their time in the list', async () => {
  let now = NOON;
  await using harness = await startHarness({ now: () => now });
  const lost = { headers: { 'user-agent': 'lost/1' } };
  await flood(harness, 100, () => lost);
  now += 50_000;
  await flood(harness, 100, () => lost);
  const known = await fetch(`${harness.url}/v1/models`, {
    headers: { authorization: `Bearer ${harness.localKey}` },
  });
  await known.arrayBuffer();
  await harness.recorded(2);
  now += MINUTE;
  await flood(harness, 100, () => lost);
  const records = await harness.records();
  expect(records.map(({ startedAt, lastAt, times }) => [startedAt, lastAt, times])).toEqual([
    [NOON + 50_000 + MINUTE, NOON + 50_000 + MINUTE, 100],
    [NOON + 50_000, NOON + 50_000, 1],
    [NOON, NOON + 50_000, 200],
  ]);
  const latest = records[0]?.lastAt;
  expect(
    await harness.gateway.history.attention({ service: '', usedSince: 0, reachable: false }),
  ).toMatchObject([{ kind: 'unknown', requests: 300, at: latest }]);
});

test('the rows per hour are limited, however many different requests arrive', async () => {
  let now = NOON;
  await using harness = await startHarness({ now: () => now });
  for (let minute = 0; minute < 20; minute += 1) {
    await flood(harness, 200, (at) => ({ headers: { 'user-agent': `kind ${at % 50}` } }));
    now += MINUTE;
  }
  const records = await harness.records();
  expect(records.reduce((sum, { times }) => sum + times, 0)).toBe(4_000);
  // 300 listed kinds, and one row per minute for the remaining ones in 14 minutes.
  expect(records).toHaveLength(314);
  now += 60 * MINUTE;
  await flood(harness, 100, () => ({ headers: { 'user-agent': 'kind 1' } }));
  expect((await harness.records())[0]).toMatchObject({ userAgent: 'kind 1', times: 100 });
});

test('a clock that is set back starts another row', async () => {
  let now = NOON;
  await using harness = await startHarness({ now: () => now });
  await flood(harness, 100, () => ({}));
  now -= 30 * MINUTE;
  await flood(harness, 100, () => ({}));
  const records = await harness.records();
  expect(records.map(({ startedAt, times }) => [startedAt, times])).toEqual([
    [NOON, 100],
    [NOON - 30 * MINUTE, 100],
  ]);
});

test('a request that is refused before its key is known is recorded without headers', async () => {
  await using harness = await startHarness();
  await flood(harness, 100, () => ({ headers: { 'x-much': LONG } }));
  const [record] = await harness.records();
  expect(record).toBeDefined();
  const detail = record === undefined ? null : await harness.gateway.history.get(record.id);
  expect(detail?.headers).toBeNull();
});

test.each([
  ['equal', () => ({ headers: { 'x-much': LONG } })],
  ['with other names', (at: number) => ({ headers: { 'user-agent': `${at} ${LONG}` } })],
  ['for other paths', (at: number) => ({ path: `/v1/${at}/${LONG}` })],
  ['with wrong hosts', (at: number) => ({ headers: { host: `h${at}.example` } })],
  ['from web pages', (at: number) => ({ headers: { origin: `https://p${at}.example` } })],
])('a flood without a key, %s, adds little and evicts nothing', async (_, toRequest) => {
  await using harness = await startHarness();
  const answer = await fetch(`${harness.url}/v1/models`, {
    headers: { authorization: `Bearer ${harness.localKey}` },
  });
  await answer.arrayBuffer();
  await harness.recorded(1);
  const before = await databaseSize(harness);
  await flood(harness, 3_000, toRequest);
  const records = await harness.records();
  expect(await databaseSize(harness)).toBeLessThan(before + 10_000_000);
  expect(records.length).toBeLessThan(310);
  expect(records.reduce((sum, { times }) => sum + times, 0)).toBe(3_001);
  expect(records.some(({ clientName }) => clientName === 'Test')).toBe(true);
});

test('a refused request is recorded with the route of its path', async () => {
  await using harness = await startHarness();
  await flood(harness, 100, () => ({ path: '/v1/models' }));
  expect(await harness.records()).toMatchObject([{ route: 'models', attempts: 0, pathSent: null }]);
});

test('invalid requests are counted together too', async () => {
  await using harness = await startHarness();
  await flood(harness, 100, () => ({}));
  for (let at = 0; at < 5; at += 1) {
    const socket = connect(harness.port, '127.0.0.1');
    socket.resume();
    socket.write('NONSENSE\r\n\r\n');
    await new Promise((resolve) => socket.once('close', resolve));
  }
  const records = await harness.records();
  expect(records.map(({ errorCode, times }) => [errorCode, times])).toEqual(
    expect.arrayContaining([
      ['malformed_request', 5],
      ['missing_local_key', 100],
    ]),
  );
});
