import { expect, test } from 'vitest';
import { startHouse } from '../kit/house.ts';
import { ask, question } from '../kit/request.ts';
import { openUpstream } from '../kit/upstream.ts';
import { orderOf, sendOrder } from '../kit/video-order.ts';
import { order, startQuickHouse, whenState } from '../videos/queue.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const SECOND = 1_000;
const AN_ORDER = orderOf('https://files.example.com/cat.png');

test('a limit that was reached is none any more once the service takes a call of the video queue', async () => {
  await using house = await startQuickHouse();
  // An order is not repeated, so nobody waits for that.
  const limited = await sendOrder(house, AN_ORDER, ['x-sandbox-scenario: rate-limit-forever']);
  expect(limited.status).toBe(429);
  await house.recordOf(limited.headers.get('x-gatehouse-exchange'));
  expect((await house.gateway.status()).limitedAt).toBeTypeOf('number');
  const { id } = await order(house, 'A fox. [scenario render-ms=50]');
  expect(await whenState(house.rooms, id, 'done', 'failed')).toMatchObject({ state: 'done' });
  expect((await house.gateway.status()).limitedAt).toBeNull();
});

test.for([
  ['for a minute at least', '45', 60],
  ['for as long as the service asks', '300', 300],
  ['for a day at most', '999999', 24 * 3_600],
] as const)('a limit that was reached stands %s', async ([, retryAfter, seconds]) => {
  let now = NOON;
  await using service = await openUpstream({ models: ['acme/large'] });
  await using house = await startHouse({ baseUrl: service.url, now: () => now });
  const answering = sendOrder(house, AN_ORDER);
  const { wire } = await service.next();
  wire.send(
    `HTTP/1.1 429 Too Many Requests\r\nRetry-After: ${retryAfter}\r\nContent-Length: 0\r\n\r\n`,
  );
  const { headers } = await answering;
  await house.recordOf(headers.get('x-gatehouse-exchange'));
  const { limitedAt } = await house.gateway.status();
  now = (limitedAt ?? 0) + seconds * SECOND - 1;
  expect(await house.gateway.status()).toMatchObject({ limitedAt });
  now += 1;
  expect(await house.gateway.status()).toMatchObject({ limitedAt: null });
});

test('a limit that was reached is none any more for a client that is answered', async () => {
  await using house = await startHouse();
  await sendOrder(house, AN_ORDER, ['x-sandbox-scenario: rate-limit-forever']);
  expect((await ask(house, question('chat'))).status).toBe(200);
  await house.recorded(2);
  expect((await house.gateway.status()).limitedAt).toBeNull();
});
