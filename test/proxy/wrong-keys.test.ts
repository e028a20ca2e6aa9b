import { once } from 'node:events';
import type { Socket } from 'node:net';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { WrongKeys } from '../../gateway/proxy/wrong-keys.ts';
import { type House, startHouse } from '../kit/house.ts';
import { heldHeapBytes } from '../kit/memory.ts';
import { composeRequest, dial, readAnswer } from '../kit/raw.ts';

const HELD_FOR_EVER = 3_600_000;
const MOST_HELD = 1024;
const NEVER = new AbortController().signal;

async function ask(house: House, key: string, agent: string) {
  const answer = await request(`${house.url}/v1/models`, {
    headers: { authorization: `Bearer ${key}`, 'user-agent': agent },
  });
  await answer.body.dump();
  return answer;
}

/** Wrong keys of one user agent until each further one is held. */
async function useUp(house: House): Promise<void> {
  for (let at = 0; at < 20; at += 1) await ask(house, `wrong-${at}`, 'guess/1');
}

/** Sends a wrong key on a connection of its own. */
async function guess(house: House): Promise<Socket> {
  const socket = await dial(house.port);
  const lines = ['Authorization: Bearer wrong', 'User-Agent: guess/1'];
  socket.write(composeRequest({ ask: 'GET /v1/models', port: house.port, lines }));
  return socket;
}

test('of one user agent the twenty-first wrong key in a minute waits, a valid one never does', async () => {
  await using house = await startHouse({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  for (let at = 0; at < 20; at += 1) {
    expect((await ask(house, `wrong-${at}`, 'guess/1')).statusCode).toBe(401);
  }
  const held = ask(house, 'wrong-20', 'guess/1').catch(() => null);
  await expect.poll(() => house.gateway.running).toBe(1);
  expect((await ask(house, house.localKey, 'guess/1')).statusCode).toBe(200);
  expect((await ask(house, 'wrong', 'other/1')).statusCode).toBe(401);
  expect(house.gateway.running).toBe(1);
  await house.gateway.close(0);
  await held;
});

test('who calls itself something else each time is slowed down, too', async () => {
  await using house = await startHouse({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  for (let at = 0; at < 60; at += 1) await ask(house, 'wrong', `guess/${at}`);
  const held = ask(house, 'wrong', 'guess/60').catch(() => null);
  await expect.poll(() => house.gateway.running).toBe(1);
  await house.gateway.close(0);
  await held;
});

test('two hundred connections get no more than twenty verdicts within one delay', async () => {
  const delayMs = 200;
  await using house = await startHouse({ limits: { wrongKeyMs: delayMs } });
  await useUp(house);
  const began = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => await readAnswer(await guess(house))),
  );
  const delays = (performance.now() - began) / delayMs;
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 401));
  // A slow machine only makes it take longer.
  expect(delays).toBeGreaterThan(200 / 20 - 1);
});

test('a valid key is answered while 1,024 are held; one more ends the oldest, and in the end all is as before', async () => {
  await using house = await startHouse({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  await useUp(house);
  const oldest = await guess(house);
  const held = [oldest];
  // So that it is the oldest.
  await expect.poll(() => house.gateway.running).toBe(1);
  while (held.length < MOST_HELD) held.push(await guess(house));
  await expect.poll(() => house.gateway.running).toBe(MOST_HELD);
  expect((await ask(house, house.localKey, 'guess/1')).statusCode).toBe(200);
  // Nobody's wrong keys hide what others have on its way.
  expect(house.gateway.runningExchanges().total).toBe(0);

  const ended = readAnswer(oldest);
  held.push(await guess(house));
  expect((await ended).wire).toBe('');
  await expect.poll(() => house.gateway.running).toBe(MOST_HELD);
  const rows = await house.records();
  expect(rows.find(({ status }) => status === null)).toMatchObject({
    errorCode: 'invalid_local_key',
    endedBy: 'gateway',
    times: 1,
  });

  for (const socket of held) socket.destroy();
  await expect.poll(() => house.gateway.running).toBe(0);
  expect((await ask(house, house.localKey, 'guess/1')).statusCode).toBe(200);
});

test('a thousand held heads of 60 KB are not kept in memory', async () => {
  await using house = await startHouse({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  await useUp(house);
  const text = 'p'.repeat(30_000);
  const lines = ['Authorization: Bearer wrong', 'User-Agent: guess/1', `X-Pad: ${text}`];
  const one = [`GET /v1/${text} HTTP/1.1`, `Host: 127.0.0.1:${house.port}`, ...lines, '', ''];
  const bytes = Buffer.from(one.join('\r\n'));
  const before = heldHeapBytes();
  const socket = await dial(house.port);
  socket.on('error', () => undefined);
  for (let at = 0; at < 1000; at += 1) socket.write(bytes);
  await expect.poll(() => house.gateway.running, { timeout: 30_000 }).toBe(1000);
  expect((heldHeapBytes() - before) / 1024 / 1024).toBeLessThan(30);
  socket.destroy();
  await expect.poll(() => house.gateway.running).toBe(0);
});

test('closing waits for no refusal that is held', async () => {
  await using house = await startHouse({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  await useUp(house);
  const socket = await guess(house);
  await expect.poll(() => house.gateway.running).toBe(1);
  const ended = once(socket, 'close');
  await house.gateway.close(HELD_FOR_EVER);
  await ended;
});

test('a client that leaves is not held any longer', async () => {
  const wrong = new WrongKeys(HELD_FOR_EVER);
  const leaving = new AbortController();
  const held = wrong.hold(leaving.signal);
  const other = wrong.hold(NEVER);
  leaving.abort();
  expect(await held).toBe('end');
  wrong.close();
  expect(await other).toBe('end');
  expect(await wrong.hold(NEVER)).toBe('end');
});
