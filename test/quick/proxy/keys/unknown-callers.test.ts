import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startHarness } from '../../../kit/gateway/harness.ts';
import { ALL_SERVICES } from '../../../kit/history/usage-query.ts';
import { flood } from '../../../kit/gateway/unknown-callers.ts';

const MINUTE = 60_000;

const NOON = new Date(2026, 10, 21, 12).getTime();

const LONG = 'x'.repeat(15_000);

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
    await harness.gateway.history.attention({
      service: '',
      usedSince: 0,
      reachable: false,
      serviceName: 'Models',
      keyMendedAt: 0,
    }),
  ).toMatchObject([{ kind: 'unknown', requests: 300, at: latest }]);
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
