import { once } from 'node:events';
import { request as openRequest } from 'node:http';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { openClients } from '../../../../gateway/clients/clients.ts';
import { openStore } from '../../../../gateway/store/store.ts';
import { type Harness, startHarness } from '../../../kit/gateway/harness.ts';

const DAY_MS = 86_400_000;
const CHAT = JSON.stringify({
  model: 'aurora/aurora-large',
  messages: [{ role: 'user', content: 'Hello' }],
});

/** A clock that stands where the test puts it. */
function createClock() {
  const began = Date.now();
  const clock = { at: began, now: () => clock.at };
  return clock;
}

async function ask({ url }: Harness, key: string, path = '/v1/models') {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  return {
    status: answer.status,
    code: answer.headers.get('x-gatehouse-error'),
    text: await answer.text(),
  };
}

/** The clients as another process sees them. */
async function openElsewhere({ dataDir }: Harness, now: () => number) {
  const store = await openStore(join(dataDir, 'gatehouse.db'));
  const clients = await openClients({ store, now, randomBytes, log: () => undefined });
  return { clients, [Symbol.asyncDispose]: () => store.close() };
}

test('a key works until the moment at which it expires, and then gets 401 with the way to use it again', async () => {
  const clock = createClock();
  await using harness = await startHarness({ now: clock.now });
  const { clients } = harness.gateway;
  const { client, key } = await clients.add("Ana's editor", clock.at + DAY_MS);
  clock.at += DAY_MS - 1;
  expect(await ask(harness, key)).toMatchObject({ status: 200, code: null });
  const before = harness.sandbox.requests.length;
  clock.at += 1;
  const refused = await ask(harness, key);
  expect(refused).toMatchObject({ status: 401, code: 'expired_local_key' });
  expect(JSON.parse(refused.text)).toMatchObject({
    error: { code: 'invalid_api_key', type: 'authentication_error' },
  });
  expect(refused.text).toContain(String.raw`clients expiry 'Ana'\\''s editor' 30d`);
  expect(harness.sandbox.requests).toHaveLength(before);
  const [record] = await harness.recorded(2);
  expect(record).toMatchObject({
    clientId: client.id,
    errorCode: 'expired_local_key',
    status: 401,
  });
  expect(await ask(harness, harness.localKey)).toMatchObject({ status: 200 });
  expect(await ask(harness, key, '/metrics')).toMatchObject({
    code: 'expired_local_key',
  });
  expect(await ask(harness, harness.localKey, '/metrics')).toMatchObject({ status: 200 });
});

test('an expired key stays expired when the clock is set back, also after a restart, until its expiry is changed', async () => {
  const clock = createClock();
  await using harness = await startHarness({ now: clock.now });
  const { clients } = harness.gateway;
  const { client, key } = await clients.add('Editor', clock.at + DAY_MS);
  const began = clock.at;
  clock.at = began + 2 * DAY_MS;
  expect(await ask(harness, key)).toMatchObject({ status: 401 });
  await using elsewhere = await openElsewhere(harness, () => began);
  await expect
    .poll(async () => (await elsewhere.clients.list()).find(({ id }) => id === client.id)?.expired)
    .toBe(true);
  clock.at = began;
  await clients.reload();
  expect(await ask(harness, key)).toMatchObject({ status: 401, code: 'expired_local_key' });
  await clients.setExpiry(client.id, began + DAY_MS);
  expect(await ask(harness, key)).toMatchObject({ status: 200 });
  await clients.setExpiry('editor', null);
  clock.at = began + 1_000 * DAY_MS;
  expect(await ask(harness, key)).toMatchObject({ status: 200 });
});

test('a request that runs when its key expires, or when another process revokes it, is finished', async () => {
  const clock = createClock();
  await using harness = await startHarness({ now: clock.now });
  const { key } = await harness.gateway.clients.add('Editor', clock.at + DAY_MS);
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const open = (path: string) =>
    openRequest(`${harness.url}${path}`, {
      method: 'POST',
      headers: { ...headers, 'content-length': CHAT.length },
    });
  const first = open('/v1/chat/completions');
  const second = open('/v1/chat/completions');
  for (const one of [first, second]) one.write(CHAT.slice(0, 10));
  await expect.poll(() => harness.gateway.running).toBe(2);
  clock.at += 2 * DAY_MS;
  expect(await ask(harness, key)).toMatchObject({ code: 'expired_local_key' });
  const finish = async (one: typeof first) => {
    one.end(CHAT.slice(10));
    const [answer] = await once(one, 'response');
    return { status: answer.statusCode, text: await text(answer) };
  };
  expect(await finish(first)).toMatchObject({ status: 200 });
  await using elsewhere = await openElsewhere(harness, clock.now);
  await elsewhere.clients.revoke('Editor');
  await expect.poll(async () => (await ask(harness, key)).code).toBe('invalid_local_key');
  expect(await finish(second)).toMatchObject({ status: 200 });
});

test('another process gives an expired key more time, and the running gateway accepts it', async () => {
  const clock = createClock();
  await using harness = await startHarness({ now: clock.now });
  const { key } = await harness.gateway.clients.add('Editor', clock.at + 1);
  clock.at += 1;
  expect(await ask(harness, key)).toMatchObject({ status: 401 });
  await using elsewhere = await openElsewhere(harness, clock.now);
  await elsewhere.clients.setExpiry('Editor', clock.at + DAY_MS);
  await expect.poll(async () => (await ask(harness, key)).status).toBe(200);
});
