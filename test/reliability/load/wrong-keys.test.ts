import { expect, test } from 'vitest';
import { startHarness } from '../../kit/gateway/harness.ts';
import { usedHeapBytes } from '../../kit/process/memory.ts';
import { dial, readAnswer } from '../../kit/net/raw-http.ts';
import { ask, exhaustLimit, sendWrongKey } from '../../kit/gateway/wrong-key-requests.ts';

const HELD_FOR_EVER = 3_600_000;

const MAX_WAITING = 1024;

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
  await expect.poll(() => harness.gateway.running).toBe(1000);
  expect((usedHeapBytes() - before) / 1024 / 1024).toBeLessThan(30);
  socket.destroy();
  await expect.poll(() => harness.gateway.running).toBe(0);
});
