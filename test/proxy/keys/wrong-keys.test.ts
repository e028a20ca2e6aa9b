import { once } from 'node:events';
import type { Socket } from 'node:net';
import { request } from 'undici';
import { expect, test } from 'vitest';
import { WrongKeyThrottle } from '../../../gateway/proxy/inbound/wrong-key-throttle.ts';
import { type Harness, startHarness } from '../../kit/harness.ts';
import { usedHeapBytes } from '../../kit/memory.ts';
import { composeRequest, dial, readAnswer } from '../../net/raw-http.ts';

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

/** Sends wrong keys of one user agent until each further one is delayed. */
async function exhaustLimit(harness: Harness): Promise<void> {
  for (let at = 0; at < 20; at += 1) await ask(harness, `wrong-${at}`, 'guess/1');
}

/** Sends a wrong key on a new connection. */
async function sendWrongKey(harness: Harness): Promise<Socket> {
  const socket = await dial(harness.port);
  const lines = ['Authorization: Bearer wrong', 'User-Agent: guess/1'];
  socket.write(composeRequest({ ask: 'GET /v1/models', port: harness.port, lines }));
  return socket;
}

test('the twenty-first wrong key of a user agent in a minute is delayed, a valid key never is', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  for (let at = 0; at < 20; at += 1) {
    expect((await ask(harness, `wrong-${at}`, 'guess/1')).statusCode).toBe(401);
  }
  const delayed = ask(harness, 'wrong-20', 'guess/1').catch(() => null);
  await expect.poll(() => harness.gateway.running).toBe(1);
  expect((await ask(harness, harness.localKey, 'guess/1')).statusCode).toBe(200);
  expect((await ask(harness, 'wrong', 'other/1')).statusCode).toBe(401);
  expect(harness.gateway.running).toBe(1);
  await harness.gateway.close(0);
  await delayed;
});

test('a client with a different user agent each time is delayed too', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  for (let at = 0; at < 60; at += 1) await ask(harness, 'wrong', `guess/${at}`);
  const delayed = ask(harness, 'wrong', 'guess/60').catch(() => null);
  await expect.poll(() => harness.gateway.running).toBe(1);
  await harness.gateway.close(0);
  await delayed;
});

test('two hundred connections get at most twenty answers within one delay', async () => {
  const delayMs = 200;
  await using harness = await startHarness({ limits: { wrongKeyMs: delayMs } });
  await exhaustLimit(harness);
  const began = performance.now();
  const answers = await Promise.all(
    Array.from({ length: 200 }, async () => await readAnswer(await sendWrongKey(harness))),
  );
  const delays = (performance.now() - began) / delayMs;
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 200 }, () => 401));
  // A slow machine only increases the time.
  expect(delays).toBeGreaterThan(200 / 20 - 1);
});

test('a valid key is answered while 1,024 requests are delayed; one more ends the oldest, and all are released in the end', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  await exhaustLimit(harness);
  const oldest = await sendWrongKey(harness);
  const delayed = [oldest];
  // Makes it the oldest.
  await expect.poll(() => harness.gateway.running).toBe(1);
  while (delayed.length < MAX_WAITING) delayed.push(await sendWrongKey(harness));
  await expect.poll(() => harness.gateway.running).toBe(MAX_WAITING);
  expect((await ask(harness, harness.localKey, 'guess/1')).statusCode).toBe(200);
  // Wrong keys do not hide running exchanges of others.
  expect(harness.gateway.runningExchanges().total).toBe(0);

  const ended = readAnswer(oldest);
  delayed.push(await sendWrongKey(harness));
  expect((await ended).raw).toBe('');
  await expect.poll(() => harness.gateway.running).toBe(MAX_WAITING);
  const rows = await harness.records();
  expect(rows.find(({ status }) => status === null)).toMatchObject({
    errorCode: 'invalid_local_key',
    endedBy: 'gateway',
    times: 1,
  });

  for (const socket of delayed) socket.destroy();
  await expect.poll(() => harness.gateway.running).toBe(0);
  expect((await ask(harness, harness.localKey, 'guess/1')).statusCode).toBe(200);
});

test('a thousand delayed requests with heads of 60 KB do not stay in memory', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  await exhaustLimit(harness);
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

test('closing does not wait for delayed refusals', async () => {
  await using harness = await startHarness({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  await exhaustLimit(harness);
  const socket = await sendWrongKey(harness);
  await expect.poll(() => harness.gateway.running).toBe(1);
  const ended = once(socket, 'close');
  await harness.gateway.close(HELD_FOR_EVER);
  await ended;
});

test('the request of a client that disconnects is released', async () => {
  const wrong = new WrongKeyThrottle(HELD_FOR_EVER);
  const leaving = new AbortController();
  const delayed = wrong.delay(leaving.signal);
  const other = wrong.delay(NEVER);
  leaving.abort();
  expect(await delayed).toBe('end');
  wrong.close();
  expect(await other).toBe('end');
  expect(await wrong.delay(NEVER)).toBe('end');
});
