import { once } from 'node:events';
import { expect, test } from 'vitest';
import { WrongKeyThrottle } from '../../../../gateway/proxy/inbound/wrong-key-throttle.ts';
import { startHarness } from '../../../kit/gateway/harness.ts';
import { ask, exhaustLimit, sendWrongKey } from '../../../kit/gateway/wrong-key-requests.ts';

const HELD_FOR_EVER = 3_600_000;

const NEVER = new AbortController().signal;

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
