import { expect, test } from 'vitest';
import { startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';
import { orderBody, sendOrder } from '../../kit/videos/video-order.ts';
import { order, startQuickHarness, whenState } from '../../kit/videos/queue.ts';

const NOON = Date.UTC(2026, 10, 21, 12);
const SECOND = 1_000;
const AN_ORDER = orderBody('https://files.example.com/cat.png');

test('a limit that was reached is none any more once the service takes a call of the video queue', async () => {
  await using harness = await startQuickHarness();
  // An order is not repeated, so nobody waits for that.
  const limited = await sendOrder(harness, AN_ORDER, ['x-sandbox-scenario: rate-limit-forever']);
  expect(limited.status).toBe(429);
  await harness.recordOf(limited.headers.get('x-gatehouse-exchange'));
  expect((await harness.gateway.status()).limitedAt).toBeTypeOf('number');
  const { id } = await order(harness, 'A fox. [scenario render-ms=50]');
  expect(await whenState(harness.repositories, id, 'done', 'failed')).toMatchObject({
    state: 'done',
  });
  expect((await harness.gateway.status()).limitedAt).toBeNull();
});

test.for([
  ['for a minute at least', '45', 60],
  ['for as long as the service asks', '300', 300],
  ['for a day at most', '999999', 24 * 3_600],
] as const)('a limit that was reached stands %s', async ([, retryAfter, seconds]) => {
  let now = NOON;
  await using service = await openUpstream({ models: ['acme/large'] });
  await using harness = await startHarness({ baseUrl: service.url, now: () => now });
  const answering = sendOrder(harness, AN_ORDER);
  const { connection } = await service.next();
  connection.send(
    `HTTP/1.1 429 Too Many Requests\r\nRetry-After: ${retryAfter}\r\nContent-Length: 0\r\n\r\n`,
  );
  const { headers } = await answering;
  await harness.recordOf(headers.get('x-gatehouse-exchange'));
  const { limitedAt } = await harness.gateway.status();
  now = (limitedAt ?? 0) + seconds * SECOND - 1;
  expect(await harness.gateway.status()).toMatchObject({ limitedAt });
  now += 1;
  expect(await harness.gateway.status()).toMatchObject({ limitedAt: null });
});

test('a limit that was reached is none any more for a client that is answered', async () => {
  await using harness = await startHarness();
  await sendOrder(harness, AN_ORDER, ['x-sandbox-scenario: rate-limit-forever']);
  expect((await sendRequest(harness, question('chat'))).status).toBe(200);
  await harness.recorded(2);
  expect((await harness.gateway.status()).limitedAt).toBeNull();
});
