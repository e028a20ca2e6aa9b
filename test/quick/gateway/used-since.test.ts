import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGateway, openRepositories } from '../../../gateway/gateway.ts';
import type { Host } from '../../../gateway/host.ts';
import { openKeys } from '../../../gateway/keys/keys.ts';
import { createFakeKeychain } from '../../kit/gateway/fake-keychain.ts';
import { createTestPlatform } from '../../kit/gateway/platform.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const BASE_URL = 'http://127.0.0.1:9';
const SETTING = 'upstream-used-since';

const log = () => undefined;
const now = () => NOON;

function stored(at: number): string {
  return JSON.stringify({ service: BASE_URL, at });
}

/** Starts at noon with this stored setting. Returns since when the service is in use, and the setting then. */
async function startWith(value: string) {
  await using closing = new AsyncDisposableStack();
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-used-'));
  closing.defer(async () => await rm(dataDir, { recursive: true }));
  const secrets = createFakeKeychain();
  const host: Host = { dataDir, secrets, log, now, uptime: () => uptime() * 1000, randomBytes };
  const repositories = await openRepositories({ host });
  closing.defer(async () => await repositories.close());
  const { db } = repositories.store;
  await db.insertInto('setting').values({ key: SETTING, value }).execute();
  const keys = await openKeys({ secrets, account: BASE_URL, log });
  closing.defer(() => keys.close());
  const gateway = await openGateway({
    repositories,
    platform: createTestPlatform(keys),
    version: 'test',
    upstream: { baseUrl: BASE_URL },
    port: 0,
    allowedOrigins: [],
  });
  closing.defer(async () => await gateway.close(0));
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', SETTING)
    .executeTakeFirstOrThrow();
  return { since: gateway.upstreamTimes.usedSince, saved: row.value };
}

test('the time since when a service is in use stays after a start', async () => {
  const value = stored(NOON - 1);
  expect(await startWith(value)).toEqual({ since: NOON - 1, saved: value });
});

test.each([
  ['from a clock that was ahead', stored(NOON + 3_600_000)],
  ['that is damaged', '{"service":'],
])('a time %s is replaced by that of the start', async (_, value) => {
  expect(await startWith(value)).toEqual({ since: NOON, saved: stored(NOON) });
});
