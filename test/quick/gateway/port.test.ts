import { once } from 'node:events';
import { createServer } from 'node:net';
import { assert, expect, test } from 'vitest';
import { freePort } from '../../kit/net/free-port.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { dial, parseAnswer } from '../../kit/net/raw-http.ts';
import { sendRequest, beginRequest, question } from '../../kit/gateway/request.ts';
import { startScriptedHarness } from '../../kit/gateway/scripted-harness.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../../kit/net/scripted-upstream.ts';

test('the port moves while a stream runs: it ends whole on the old port, and the new one answers at once', async () => {
  await using both = await startScriptedHarness();
  const { harness, upstream } = both;
  const before = harness.port;
  const client = await beginRequest(
    harness,
    question('chat', { stream: true, model: 'm', keepAlive: true }),
  );
  const { connection } = await upstream.next();
  connection.send(STREAM_HEAD);
  connection.send(chunk('data: {"n":1}\n\n'));
  await client.until('{"n":1}');

  const port = await freePort();
  const { settings } = await harness.gateway.changeSettings({ port });
  expect([settings.port, harness.port]).toEqual([port, port]);
  expect((await sendRequest(harness, { path: '/health' })).status).toBe(200);
  await expect.poll(() => dial(before).then(String, String)).toContain('ECONNREFUSED');

  connection.send(chunk('data: [DONE]\n\n'));
  connection.send(LAST_CHUNK);
  await client.until(LAST_CHUNK);
  // Kept alive for another request, but nobody listens there any more.
  await client.closed;
  const [record] = await harness.recorded(1);
  expect(record).toMatchObject({ status: 200, endedBy: 'service' });
});

test('a port that is taken is refused at its field with its holder, and everything stays as it was', async () => {
  await using harness = await startHarness();
  const before = harness.port;
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  assert(typeof address === 'object' && address !== null);
  const changing = harness.gateway.changeSettings({ port: address.port, keepDays: 5 });
  await expect(changing).rejects.toMatchObject({
    name: 'UserError',
    field: 'port',
    message: `Port ${address.port} is used by another program. Choose another one.`,
  });
  expect(harness.gateway.settings().settings).toMatchObject({ port: before, keepDays: 90 });
  expect((await sendRequest(harness, { path: '/health' })).status).toBe(200);
  holder.close();
});

test('the port can move away and back', async () => {
  await using harness = await startHarness();
  const before = harness.port;
  await harness.gateway.changeSettings({ port: await freePort() });
  await harness.gateway.changeSettings({ port: before });
  expect((await sendRequest(harness, question('chat'))).status).toBe(200);
  expect(harness.gateway.settings().settings.port).toBe(before);
});

test('the port of the settings is the one of the next start', async () => {
  await using harness = await startHarness();
  const port = await freePort();
  await harness.gateway.changeSettings({ port });
  expect(harness.repositories.settings.current().port).toBe(port);
});

test('a port that is moved to while Gatehouse closes is not kept', async () => {
  await using harness = await startHarness();
  const port = await freePort();
  const moving = harness.gateway.changeSettings({ port });
  await Promise.all([harness.gateway.close(0), moving]);
  await expect(dial(port)).rejects.toThrow('ECONNREFUSED');
});

test('requests that are on their way whenever the port moves are all answered', async () => {
  await using harness = await startHarness();
  for (let n = 0; n < 10; n += 1) {
    const clients = await Promise.all([1, 2, 3].map(() => beginRequest(harness, question('chat'))));
    await harness.gateway.changeSettings({ port: await freePort() });
    const answers = await Promise.all(
      clients.map(async (client) => parseAnswer(await client.rest())),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  }
});
