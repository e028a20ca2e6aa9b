import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { freePort } from '../../kit/net/free-port.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { parseAnswer } from '../../kit/net/raw-http.ts';
import { sendRequest, beginRequest, question } from '../../kit/gateway/request.ts';
import {
  chunk,
  jsonAnswer,
  LAST_CHUNK,
  openUpstream,
  STREAM_HEAD,
} from '../../kit/net/scripted-upstream.ts';
import { createFakeKeychain } from '../../kit/gateway/fake-keychain.ts';

const OLD_KEY = 'sk-the-key-of-the-first-service';
const NEW_KEY = 'sk-the-key-of-the-second-service';

/** A harness that uses one service and knows a second one, each with a key of its own. */
async function startBetween() {
  const closing = new AsyncDisposableStack();
  const first = closing.use(await openUpstream({ models: ['m'] }));
  const second = closing.use(await openUpstream({ models: ['m'] }));
  const secrets = createFakeKeychain({ [second.url]: NEW_KEY });
  const harness = closing.use(
    await startHarness({ baseUrl: first.url, serviceKey: OLD_KEY, secrets }),
  );
  const { id } = await harness.gateway.addUpstream(upstreamFormFor(second.url));
  return { first, second, harness, id, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

test('a stream that runs while the service is switched ends whole, and the next request goes to the new one', async () => {
  await using both = await startBetween();
  const { harness, first, second, id } = both;
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const old = await first.next();
  old.connection.send(STREAM_HEAD);
  old.connection.send(chunk('data: {"n":1}\n\n'));
  await client.until('{"n":1}');

  await harness.gateway.useUpstream(id);
  expect(await harness.gateway.status()).toMatchObject({ upstream: { id, active: true } });
  const answering = sendRequest(harness, question('chat', { model: 'm' }));
  const fresh = await second.next();
  fresh.connection.send(jsonAnswer(200, { choices: [] }));
  expect((await answering).status).toBe(200);

  old.connection.send(chunk('data: {"n":2}\n\ndata: [DONE]\n\n'));
  old.connection.send(LAST_CHUNK);
  expect((await client.rest()).endsWith(LAST_CHUNK)).toBe(true);
  const [record] = (await harness.recorded(2)).filter(({ streamed }) => streamed);
  expect(record).toMatchObject({ endedBy: 'service', errorCode: null });

  expect(old.head).toContain(OLD_KEY);
  expect(fresh.head).toContain(`Bearer ${NEW_KEY}`);
  for (const { head, body } of second.arrivals) expect(head + body).not.toContain(OLD_KEY);
  for (const { head, body } of first.arrivals) expect(head + body).not.toContain(NEW_KEY);
});

test('the connections of the service that was left are ended after its last exchange, not before', async () => {
  await using both = await startBetween();
  const { harness, first, id } = both;
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await first.next();
  await harness.gateway.useUpstream(id);
  connection.send(`${STREAM_HEAD}${chunk('data: [DONE]\n\n').toString('latin1')}${LAST_CHUNK}`);
  expect(parseAnswer(await client.rest()).status).toBe(200);
  await connection.closed;
});

test('a service that could not be reached is tried anew when it is chosen again', async () => {
  const absent = `http://127.0.0.1:${await freePort()}`;
  const secrets = createFakeKeychain({ [absent]: NEW_KEY });
  await using first = await openUpstream({ models: ['m'] });
  await using harness = await startHarness({ baseUrl: first.url, serviceKey: OLD_KEY, secrets });
  const { gateway } = harness;
  const own = (await gateway.listUpstreams()).find(({ active }) => active);
  const { id } = await gateway.addUpstream(upstreamFormFor(absent));
  await gateway.useUpstream(id);
  const ask = async () => (await sendRequest(harness, question('chat', { model: 'm' }))).status;
  await expect.poll(ask).toBe(503);
  expect((await gateway.status()).load.circuit).not.toBe('closed');
  await gateway.useUpstream(own?.id ?? '');
  await gateway.useUpstream(id);
  const { load, reach } = await gateway.status();
  expect(load.circuit).toBe('closed');
  expect(reach.state).not.toBe('reachable');
  expect(await ask()).toBe(502);
});

test('a service that is saved again gets new connections, which read its certificates again', async () => {
  await using both = await startBetween();
  const { harness, first } = both;
  const connectionOfNext = async () => {
    const answering = sendRequest(harness, question('chat', { model: 'm' }));
    const { connection } = await first.next();
    connection.send(jsonAnswer(200, { choices: [] }));
    expect((await answering).status).toBe(200);
    return connection;
  };
  const own = (await harness.gateway.listUpstreams()).find(({ active }) => active);
  // The model list came first, on a connection of its own.
  await connectionOfNext();
  const before = await connectionOfNext();
  expect(await connectionOfNext()).toBe(before);
  await harness.gateway.changeUpstream(own?.id ?? '', upstreamFormFor(first.url));
  expect(await connectionOfNext()).not.toBe(before);
  await before.closed;
});

test('under load nothing is lost while the service is switched back and forth', async () => {
  await using harness = await startHarness();
  const own = (await harness.gateway.listUpstreams()).find(({ active }) => active);
  const asking = Promise.all(
    Array.from({ length: 6 }, async () => {
      const statuses: number[] = [];
      for (let n = 0; n < 15; n += 1) {
        statuses.push(
          (await sendRequest(harness, question('chat', { stream: n % 2 === 0 }))).status,
        );
      }
      return statuses;
    }),
  );
  for (let n = 0; n < 10; n += 1) {
    await harness.gateway.useUpstream(SANDBOX_ID);
    await harness.gateway.useUpstream(own?.id ?? '');
  }
  expect((await asking).flat().filter((status) => status !== 200)).toEqual([]);
  const records = await harness.recorded(90);
  expect(records.filter(({ endedBy }) => endedBy !== 'service')).toEqual([]);
});

test('closing ends what runs on a link that was left, too', async () => {
  await using both = await startBetween();
  const { harness, first, id } = both;
  const client = await beginRequest(harness, question('chat', { stream: true, model: 'm' }));
  const { connection } = await first.next();
  await harness.gateway.useUpstream(id);
  await harness.gateway.close(0);
  await Promise.all([client.closed, connection.closed]);
});

test('a key that is replaced while its exchange runs comes back neither to the client nor into the history', async () => {
  await using service = await openUpstream({ models: ['m'] });
  const secrets = createFakeKeychain({ [service.url]: OLD_KEY });
  await using harness = await startHarness({ baseUrl: service.url, serviceKey: null, secrets });
  const [own] = await harness.gateway.listUpstreams();
  const answering = sendRequest(harness, question('chat', { model: 'm' }));
  const { head, connection } = await service.next();
  expect(head).toContain(OLD_KEY);
  await harness.gateway.saveKey(own?.id ?? '', NEW_KEY, 'keychain');
  connection.send(jsonAnswer(401, { error: { message: `Wrong key: ${OLD_KEY}`, code: OLD_KEY } }));
  expect((await answering).body).not.toContain(OLD_KEY);
  expect(JSON.stringify(await harness.recorded(1))).not.toContain(OLD_KEY);
});

test('a choice that cannot be kept is not used, and can be made again', async () => {
  await using both = await startBetween();
  const { harness, first, id } = both;
  const { store, upstreams } = harness.repositories;
  await sql`pragma query_only = 1`.execute(store.db);
  await expect(harness.gateway.useUpstream(id)).rejects.toMatchObject({ code: 'unwritable' });
  expect((await harness.gateway.status()).upstream.baseUrl).toBe(first.url);
  await sql`pragma query_only = 0`.execute(store.db);
  await harness.gateway.useUpstream(id);
  expect((await upstreams.active())?.id).toBe(id);
});

test('a key at the place where a long message is cut is not kept in part', async () => {
  await using service = await openUpstream({ models: ['m'] });
  await using harness = await startHarness({ baseUrl: service.url, serviceKey: OLD_KEY });
  const answering = sendRequest(harness, question('chat', { model: 'm' }));
  const { connection } = await service.next();
  connection.send(jsonAnswer(401, { error: { message: `${'x'.repeat(480)} ${OLD_KEY}` } }));
  await answering;
  const [record] = await harness.recorded(1);
  expect(record?.errorMessage).toContain('xxx');
  expect(record?.errorMessage).not.toContain(OLD_KEY.slice(0, 8));
});
