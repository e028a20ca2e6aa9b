import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { flood } from '../../kit/gateway/unknown-callers.ts';

const MINUTE = 60_000;

const NOON = new Date(2026, 10, 21, 12).getTime();

const LONG = 'x'.repeat(15_000);

async function databaseSize({ dataDir }: Harness): Promise<number> {
  const names = ['gatehouse.db', 'gatehouse.db-wal'];
  const sizes = await Promise.all(
    names.map(async (name) => (await stat(join(dataDir, name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

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
