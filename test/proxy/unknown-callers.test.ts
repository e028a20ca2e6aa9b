import { stat } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { type Harness, startHarness } from '../kit/harness.ts';

const MINUTE = 60_000;
const NOON = new Date(2026, 10, 21, 12).getTime();
const LONG = 'x'.repeat(15_000);

/** Asks this often at once, without a key; `different` says what each sends. Gives the exchanges that the answers name. */
async function flood(
  harness: Harness,
  count: number,
  different: (at: number) => { readonly path?: string; readonly headers?: Record<string, string> },
): Promise<string[]> {
  const dispatcher = new Agent({ connections: 20 });
  const named: string[] = [];
  const ask = async (at: number) => {
    const { path = '/v1/models', headers = {} } = different(at);
    const answer = await request(harness.url + path, { headers, dispatcher });
    named.push(String(answer.headers['x-gatehouse-exchange']));
    await answer.body.dump();
  };
  for (let from = 0; from < count; from += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, at) => ask(from + at)));
  }
  await dispatcher.close();
  return named;
}

async function bytesOf({ dataDir }: Harness): Promise<number> {
  const names = ['gatehouse.db', 'gatehouse.db-wal'];
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(dataDir, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

test('equal requests without a key are one row with their number, and every answer names that row', async () => {
  await using harness = await startHarness();
  const named = await flood(harness, 300, () => ({ headers: { 'user-agent': 'lost/1' } }));
  const [record, ...others] = await harness.records();
  expect(others).toEqual([]);
  expect(record).toMatchObject({
    times: 300,
    userAgent: 'lost/1',
    errorCode: 'missing_local_key',
    clientName: null,
  });
  expect(record?.lastAt).toBeGreaterThanOrEqual(record?.startedAt ?? Number.MAX_SAFE_INTEGER);
  expect(new Set(named)).toEqual(new Set([record?.id]));
  const [day] = await harness.gateway.history.usage('day');
  expect(day).toMatchObject({ exchanges: 300, errors: 300, unknown: 300 });
});

test('equal requests of another minute are another row, so that each stands where its requests came', async () => {
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
  expect(await harness.gateway.history.attention()).toMatchObject([
    { kind: 'unknown', requests: 300, at: latest },
  ]);
});

test('an hour has room for so many rows, however requests alternate and go on', async () => {
  let now = NOON;
  await using harness = await startHarness({ now: () => now });
  for (let minute = 0; minute < 20; minute += 1) {
    await flood(harness, 200, (at) => ({ headers: { 'user-agent': `kind ${at % 50}` } }));
    now += MINUTE;
  }
  const records = await harness.records();
  expect(records.reduce((sum, { times }) => sum + times, 0)).toBe(4_000);
  // 300 kinds that are listed, and one row for the rest of each of 14 minutes.
  expect(records).toHaveLength(314);
  now += 60 * MINUTE;
  await flood(harness, 100, () => ({ headers: { 'user-agent': 'kind 1' } }));
  expect((await harness.records())[0]).toMatchObject({ userAgent: 'kind 1', times: 100 });
});

test('a clock that is set back begins another row', async () => {
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

test('what was refused before a key was known keeps no headers', async () => {
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
])('a flood without a key, %s, adds little and pushes nothing out', async (_, different) => {
  await using harness = await startHarness();
  const answer = await fetch(`${harness.url}/v1/models`, {
    headers: { authorization: `Bearer ${harness.localKey}` },
  });
  await answer.arrayBuffer();
  await harness.recorded(1);
  const before = await bytesOf(harness);
  await flood(harness, 3_000, different);
  const records = await harness.records();
  expect(await bytesOf(harness)).toBeLessThan(before + 10_000_000);
  expect(records.length).toBeLessThan(310);
  expect(records.reduce((sum, { times }) => sum + times, 0)).toBe(3_001);
  expect(records.some(({ clientName }) => clientName === 'Test')).toBe(true);
});

test('a refused request has the route that its path asks for', async () => {
  await using harness = await startHarness();
  await flood(harness, 100, () => ({ path: '/v1/models' }));
  expect(await harness.records()).toMatchObject([{ route: 'models', attempts: 0, pathSent: null }]);
});

test('what is no request at all is counted together, too', async () => {
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
