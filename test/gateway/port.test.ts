import { once } from 'node:events';
import { createServer } from 'node:net';
import { assert, expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { startHouse } from '../kit/house.ts';
import { dial, parseAnswer } from '../kit/raw.ts';
import { ask, begin, question } from '../kit/request.ts';
import { startScriptedHouse } from '../kit/scripted-house.ts';
import { chunk, LAST_CHUNK, STREAM_HEAD } from '../kit/upstream.ts';

test('the port moves while a stream runs: it ends whole on the old port, and the new one answers at once', async () => {
  await using both = await startScriptedHouse();
  const { house, upstream } = both;
  const before = house.port;
  const client = await begin(
    house,
    question('chat', { stream: true, model: 'm', keepAlive: true }),
  );
  const { wire } = await upstream.next();
  wire.send(STREAM_HEAD);
  wire.send(chunk('data: {"n":1}\n\n'));
  await client.until('{"n":1}');

  const port = await freePort();
  const { settings } = await house.gateway.changeSettings({ port });
  expect([settings.port, house.port]).toEqual([port, port]);
  expect((await ask(house, { path: '/health' })).status).toBe(200);
  await expect
    .poll(() => dial(before).then(String, String), { timeout: 5_000 })
    .toContain('ECONNREFUSED');

  wire.send(chunk('data: [DONE]\n\n'));
  wire.send(LAST_CHUNK);
  await client.until(LAST_CHUNK);
  // Kept alive for another request, but nobody listens there any more.
  await client.closed;
  const [record] = await house.recorded(1);
  expect(record).toMatchObject({ status: 200, endedBy: 'service' });
});

test('a port that is taken is refused at its field with its holder, and everything stays as it was', async () => {
  await using house = await startHouse();
  const before = house.port;
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  assert(typeof address === 'object' && address !== null);
  const changing = house.gateway.changeSettings({ port: address.port, keepDays: 5 });
  await expect(changing).rejects.toMatchObject({
    name: 'Refused',
    field: 'port',
    message: `Port ${address.port} is used by another program. Choose another one.`,
  });
  expect(house.gateway.settings().settings).toMatchObject({ port: before, keepDays: 90 });
  expect((await ask(house, { path: '/health' })).status).toBe(200);
  holder.close();
});

test('the port can move away and back', async () => {
  await using house = await startHouse();
  const before = house.port;
  await house.gateway.changeSettings({ port: await freePort() });
  await house.gateway.changeSettings({ port: before });
  expect((await ask(house, question('chat'))).status).toBe(200);
  expect(house.gateway.settings().settings.port).toBe(before);
});

test('the port of the settings is the one of the next start', async () => {
  await using house = await startHouse();
  const port = await freePort();
  await house.gateway.changeSettings({ port });
  expect(house.rooms.settings.current().port).toBe(port);
});

test('a port that is moved to while Gatehouse closes is not kept', async () => {
  await using house = await startHouse();
  const port = await freePort();
  const moving = house.gateway.changeSettings({ port });
  await Promise.all([house.gateway.close(0), moving]);
  await expect(dial(port)).rejects.toThrow('ECONNREFUSED');
});

test('requests that are on their way whenever the port moves are all answered', async () => {
  await using house = await startHouse();
  for (let n = 0; n < 10; n += 1) {
    const clients = await Promise.all([1, 2, 3].map(() => begin(house, question('chat'))));
    await house.gateway.changeSettings({ port: await freePort() });
    const answers = await Promise.all(
      clients.map(async (client) => parseAnswer(await client.rest())),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
  }
});
