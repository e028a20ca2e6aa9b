import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatDay, formatTimeOfDay } from '../../../../shared/format.ts';
import { type Harness, startHarness } from '../../../kit/gateway/harness.ts';

const NOON = new Date(2026, 10, 21, 12).getTime();

async function ask({ url }: Harness, key: string) {
  const answer = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
  const body: unknown = await answer.json();
  return { status: answer.status, code: answer.headers.get('x-gatehouse-error'), body };
}

function refusal(words: string) {
  const error = { code: 'invalid_api_key', message: expect.stringContaining(words) };
  return { status: 401, code: 'invalid_local_key', body: { error } };
}

test('a revoked key is refused with the name of its client and the time, and equal requests share one row', async () => {
  let now = NOON;
  await using harness = await startHarness({ now: () => now });
  const { clients, history } = harness.gateway;
  const { client, key } = await clients.add("Ana's editor");
  expect(await ask(harness, key)).toMatchObject({ status: 200 });
  now += 1000;
  await clients.revoke(client.id);
  const time = `${formatDay(now)} at ${formatTimeOfDay(now)}`;
  const words = `The local key of "Ana's editor" was revoked on ${time}.`;
  for (let at = 0; at < 3; at += 1) {
    now += 1000;
    expect(await ask(harness, key)).toMatchObject(refusal(words));
  }
  expect((await harness.records())[0]).toMatchObject({
    clientId: client.id,
    clientName: "Ana's editor",
    errorCode: 'invalid_local_key',
    errorMessage: expect.stringContaining(words),
    route: 'models',
    times: 3,
  });
  const listed = await clients.list();
  expect(listed.find(({ id }) => id === client.id)).toMatchObject({ exchanges: 4 });
  expect(listed.some(({ kind }) => kind === 'unknown')).toBe(false);
  const service = (await harness.records())[0]?.service ?? '';
  expect(
    await history.attention({
      service,
      usedSince: 0,
      reachable: true,
      serviceName: 'Models',
      keyMendedAt: 0,
    }),
  ).toMatchObject([
    { kind: 'client', clientName: "Ana's editor", errorCode: 'invalid_local_key', failures: 3 },
  ]);
});

test('a key that was replaced by a new one is refused with that reason, also by another process', async () => {
  await using harness = await startHarness();
  const { clients } = harness.gateway;
  const { client, key } = await clients.add('Editor');
  const second = await clients.renew(client.id, null);
  const third = await clients.renew(client.id, null);
  for (const old of [key, second.key]) {
    expect(await ask(harness, old)).toMatchObject(
      refusal('The local key of "Editor" was replaced by a new one on '),
    );
  }
  expect(await ask(harness, third.key)).toMatchObject({ status: 200 });
  await clients.revoke(client.id);
  for (const old of [key, third.key]) {
    expect(await ask(harness, old)).toMatchObject(refusal('"Editor" was revoked on '));
  }
});

test('a temporary key that has ended is refused with the way to start its program again', async () => {
  await using harness = await startHarness();
  const { clients } = harness.gateway;
  const { key } = await clients.addTemporaryKey('Editor (run)', 60_000);
  expect(await ask(harness, key)).toMatchObject({ status: 200 });
  await clients.removeTemporaryKey(key);
  expect(await ask(harness, key)).toMatchObject(refusal('Start the program again with'));
});

test('the latest ten replaced keys of a client are recognised, and no key is stored', async () => {
  await using harness = await startHarness();
  const { clients } = harness.gateway;
  const { client, key } = await clients.add('Editor');
  const keys = [key];
  while (keys.length < 12) keys.push((await clients.renew(client.id, null)).key);
  expect(await ask(harness, keys[0] ?? '')).toMatchObject(refusal('This local key is unknown'));
  expect(await ask(harness, keys[10] ?? '')).toMatchObject(refusal('was replaced'));
  using database = new DatabaseSync(join(harness.dataDir, 'gatehouse.db'), { readOnly: true });
  const rows = database.prepare('select key_hash from replaced_key').all();
  expect(rows).toHaveLength(10);
  expect(keys.some((one) => JSON.stringify(rows).includes(one))).toBe(false);
});

test('many requests with a revoked key are delayed as those with any wrong key', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: 3_600_000 } });
  const { client, key } = await harness.gateway.clients.add('Editor');
  await harness.gateway.clients.revoke(client.id);
  for (let at = 0; at < 20; at += 1) expect((await ask(harness, key)).status).toBe(401);
  const delayed = ask(harness, key).catch(() => null);
  await expect.poll(() => harness.gateway.running).toBe(1);
  await expect.poll(() => harness.gateway.runningExchanges().total).toBe(0);
  await harness.gateway.close(0);
  await delayed;
});
