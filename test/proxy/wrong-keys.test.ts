import { once } from 'node:events';
import type { Socket } from 'node:net';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { WrongKeyThrottle } from '../../gateway/proxy/inbound/wrong-key-throttle.ts';
import { type Harness, startHarness } from '../kit/harness.ts';
import { usedHeapBytes } from '../kit/memory.ts';
import { composeRequest, dial, readAnswer } from '../net/raw-http.ts';

const HELD_FOR_EVER = 3_600_000;
const MAX_WAITING = 1024;
const NEVER = new AbortController().signal;

async function ask(harness: Harness, key: string, agent: string) {
  const answer = await request(`${harness.url}/v1/models`, {
    headers: { authorization: `Bearer ${key}`, 'user-agent': agent },
  });
  await answer.body.dump();
  return answer;
}

/** Wrong keys of one user agent until each further one is held. */
async function useUp(harness: Harness): Promise<void> {
  for (let at = 0; at < 20; at += 1) await ask(harness, `wrong-${at}`, 'guess/1');
}

/** Sends a wrong key on a connection of its own. */
async function guess(harness: Harness): Promise<Socket> {
  const socket = await dial(harness.port);
  const lines = ['Authorization: Bearer wrong', 'User-Agent: guess/1'];
  socket.write(composeRequest({ ask: 'GET /v1/models', port: harness.port, lines }));
  return socket;
}

test('of one user agent the twenty-first wrong key in a minute waits, a valid one never does', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  for (let at = 0; at < 20; at += 1) {
    expect((await ask(harness, `wrong-${at}`, 'guess/1')).statusCode).toBe(401);
  }
  const held = ask(harness, 'wrong-20', 'guess/1').catch(() => null);
  await expect.poll(() => harness.gateway.running).toBe(1);
  expect((await ask(harness, harness.localKey, 'guess/1')).statusCode).toBe(200);
  expect((await ask(harness, 'wrong', 'other/1')).statusCode).toBe(401);
  expect(harness.gateway.running).toBe(1);
  await harness.gateway.close(0);
  await held;
});

test('who calls itself something else each time is slowed down, too', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  for (let at = 0; at < 60; at += 1) await ask(harness, 'wrong', `guess/${at}`);
  const held = ask(harness, 'wrong', 'guess/60').catch(() => null);
  await expect.poll(() => harness.gateway.running).toBe(1);
  await harness.gateway.close(0);
  await held;
});

test('two hundred connections get no more than twenty verdicts within one delay', async () => {
  const delayMs = 200;
  await using harness = await startHarness({ limits: { wrongKeyMs: delayMs } });
  await useUp(harness);
  const began = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => await readAnswer(await guess(harness))),
  );
  const delays = (performance.now() - began) / delayMs;
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 401));
  // A slow machine only makes it take longer.
  expect(delays).toBeGreaterThan(200 / 20 - 1);
});

test('a valid key is answered while 1,024 are held; one more ends the oldest, and in the end all is as before', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  await useUp(harness);
  const oldest = await guess(harness);
  const held = [oldest];
  // So that it is the oldest.
  await expect.poll(() => harness.gateway.running).toBe(1);
  while (held.length < MAX_WAITING) held.push(await guess(harness));
  await expect.poll(() => harness.gateway.running).toBe(MAX_WAITING);
  expect((await ask(harness, harness.localKey, 'guess/1')).statusCode).toBe(200);
  // Nobody's wrong keys hide what others have on its way.
  expect(harness.gateway.runningExchanges().total).toBe(0);

  const ended = readAnswer(oldest);
  held.push(await guess(harness));
  expect((await ended).wire).toBe('');
  await expect.poll(() => harness.gateway.running).toBe(MAX_WAITING);
  const rows = await harness.records();
  expect(rows.find(({ status }) => status === null)).toMatchObject({
    errorCode: 'invalid_local_key',
    endedBy: 'gateway',
    times: 1,
  });

  for (const socket of held) socket.destroy();
  await expect.poll(() => harness.gateway.running).toBe(0);
  expect((await ask(harness, harness.localKey, 'guess/1')).statusCode).toBe(200);
});

test('a thousand held heads of 60 KB are not kept in memory', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  await useUp(harness);
  const text = 'p'.repeat(30_000);
  const lines = ['Authorization: Bearer wrong', 'User-Agent: guess/1', `X-Pad: ${text}`];
  const one = [`GET /v1/${text} HTTP/1.1`, `Host: 127.0.0.1:${harness.port}`, ...lines, '', ''];
  const bytes = Buffer.from(one.join('\r\n'));
  const before = usedHeapBytes();
  const socket = await dial(harness.port);
  socket.on('error', () => undefined);
  for (let at = 0; at < 1000; at += 1) socket.write(bytes);
  await expect.poll(() => harness.gateway.running, { timeout: 30_000 }).toBe(1000);
  expect((usedHeapBytes() - before) / 1024 / 1024).toBeLessThan(30);
  socket.destroy();
  await expect.poll(() => harness.gateway.running).toBe(0);
});

test('closing waits for no refusal that is held', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  await useUp(harness);
  const socket = await guess(harness);
  await expect.poll(() => harness.gateway.running).toBe(1);
  const ended = once(socket, 'close');
  await harness.gateway.close(HELD_FOR_EVER);
  await ended;
});

test('a client that leaves is not held any longer', async () => {
  const wrong = new WrongKeyThrottle(HELD_FOR_EVER);
  const leaving = new AbortController();
  const held = wrong.delay(leaving.signal);
  const other = wrong.delay(NEVER);
  leaving.abort();
  expect(await held).toBe('end');
  wrong.close();
  expect(await other).toBe('end');
  expect(await wrong.delay(NEVER)).toBe('end');
});
