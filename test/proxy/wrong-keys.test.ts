import { request } from 'undici';
import { expect, test } from 'vitest';
import { WrongKeys } from '../../gateway/proxy/wrong-keys.ts';
import { type House, startHouse } from '../kit/house.ts';

const HELD_FOR_EVER = 3_600_000;
const NEVER: readonly AbortSignal[] = [];

async function ask(house: House, key: string, agent: string) {
  const answer = await request(`${house.url}/v1/models`, {
    headers: { authorization: `Bearer ${key}`, 'user-agent': agent },
  });
  await answer.body.dump();
  return answer;
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

test('beyond sixty-four that are held, the answer comes at once and the connection ends', async () => {
  await using house = await startHouse({ limits: { wrongKeyMs: HELD_FOR_EVER } });
  for (let at = 0; at < 20; at += 1) await ask(house, 'wrong', 'guess/1');
  const held = Array.from({ length: 64 }, () => ask(house, 'wrong', 'guess/1').catch(() => null));
  await expect.poll(() => house.gateway.running).toBe(64);
  const answer = await ask(house, 'wrong', 'guess/1');
  expect(answer.statusCode).toBe(401);
  expect(answer.headers['connection']).toBe('close');
  expect((await ask(house, house.localKey, 'guess/1')).statusCode).toBe(200);
  await house.gateway.close(0);
  await Promise.all(held);
});

test('a client that leaves is not held any longer', async () => {
  const wrong = new WrongKeys(HELD_FOR_EVER);
  for (let at = 0; at < 20; at += 1) expect(await wrong.note('a', NEVER)).toBe(true);
  const leaving = new AbortController();
  const held = wrong.note('a', [leaving.signal]);
  leaving.abort();
  expect(await held).toBe(true);
});
