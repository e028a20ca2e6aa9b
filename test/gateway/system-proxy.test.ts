import { expect, test } from 'vitest';
import { diagnose } from '../../gateway/api/diagnostics.ts';
import type { SystemProxy } from '../../gateway/gateway.ts';
import { openSandbox } from '../../sandbox/server.ts';
import { openConnectProxy } from '../kit/connect-proxy.ts';
import { formFor } from '../kit/form.ts';
import { type House, type HouseOptions, startHouse } from '../kit/house.ts';
import { ask, question } from '../kit/request.ts';
import { openVault } from '../kit/vault.ts';
import { order, startQuickHouse, whenState } from '../videos/queue.ts';

const NONE: SystemProxy = { proxyUrl: null, reason: null };
const SOCKS = 'The system names a SOCKS proxy, and Gatehouse cannot use one.';
const never = new AbortController().signal;

/** A house whose service is known to a proxy only. */
async function startBehind(
  proxyFor: HouseOptions['proxyFor'],
  start: (options: HouseOptions) => Promise<House> = startHouse,
) {
  const closing = new AsyncDisposableStack();
  const service = closing.use(await openSandbox());
  const baseUrl = `http://service.test:${new URL(service.url).port}`;
  const options = { baseUrl, serviceKey: service.key, limits: { proxyLookMs: 30 } };
  const more = proxyFor === undefined ? {} : { proxyFor };
  const house = closing.use(await start({ ...options, ...more }));
  return { house, service, baseUrl, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

test('exchanges, tests and videos go by the proxy that the system names for a service', async () => {
  await using proxy = await openConnectProxy();
  const asked: string[] = [];
  const proxyFor = (url: string) => {
    asked.push(url);
    return Promise.resolve({ proxyUrl: proxy.url, reason: null });
  };
  await using behind = await startBehind(proxyFor, startQuickHouse);
  const { house, service, baseUrl } = behind;
  expect((await ask(house, question('chat'))).status).toBe(200);
  expect(await house.gateway.models.refresh()).not.toEqual([]);
  const verdict = await house.gateway.testUpstream(formFor(`https://service.test`), 'sk-k', never);
  expect(verdict.works).toBe(false);
  const { id } = await order(house, 'A fox. [scenario render-ms=60000]');
  await whenState(house.rooms, id, 'rendering');
  expect(service.orders).toHaveLength(1);
  expect(new Set(proxy.asked)).toEqual(new Set([new URL(baseUrl).host, 'service.test:443']));
  expect(new Set(asked)).toEqual(new Set([baseUrl, 'https://service.test']));
  const diagnosis = await diagnose({ ...house, windowPort: null, ...house.rooms });
  expect(diagnosis).toContain('Way out     through the proxy of the system');
  expect(diagnosis).not.toContain(proxy.url);
});

test('another proxy of the system is found out in time, and after a sleep', async () => {
  await using first = await openConnectProxy();
  await using second = await openConnectProxy();
  let wanted = first.url;
  await using behind = await startBehind(
    () => Promise.resolve({ proxyUrl: wanted, reason: null }),
    startQuickHouse,
  );
  const { house } = behind;
  const { gateway } = house;
  expect((await ask(house, question('chat'))).status).toBe(200);
  const { id } = await order(house, 'A fox. [scenario render-ms=60000]');
  await whenState(house.rooms, id, 'rendering');
  expect([first.asked.length > 0, second.asked.length]).toEqual([true, 0]);
  const { promise: heard, resolve } = Promise.withResolvers<void>();
  const stop = gateway.on(() => gateway.systemProxy.proxyUrl === second.url && resolve());
  wanted = second.url;
  await heard;
  stop();
  // The questions about the video.
  await second.used;
  expect((await ask(house, question('chat'))).status).toBe(200);
  expect(second.asked).toHaveLength(2);
  wanted = first.url;
  await gateway.wake();
  expect(gateway.systemProxy.proxyUrl).toBe(first.url);
});

test('a service on this machine, and one with a proxy of its own, is not asked about', async () => {
  const asked: string[] = [];
  const proxyFor = (url: string) => {
    asked.push(url);
    return Promise.resolve(NONE);
  };
  await using own = await openConnectProxy();
  await using behind = await startBehind(undefined);
  const { baseUrl, service } = behind;
  const secrets = openVault({ [baseUrl]: service.key });
  await using house = await startHouse({ proxyFor, secrets });
  expect((await ask(house, question('chat'))).status).toBe(200);
  const { upstreams } = house.rooms;
  const form = formFor(baseUrl, { proxyUrl: own.url });
  const { id } = await upstreams.add(form);
  await house.gateway.useUpstream(id);
  expect((await ask(house, question('chat'))).status).toBe(200);
  expect(own.asked).not.toEqual([]);
  expect(asked).toEqual([]);
});

test('a proxy that cannot be used is named as the likely reason when nothing answers', async () => {
  await using behind = await startBehind(() => Promise.resolve({ proxyUrl: null, reason: SOCKS }));
  const { house } = behind;
  expect((await ask(house, question('chat'))).status).toBe(502);
  await house.recorded(1);
  const { reach } = await house.gateway.status();
  expect(reach.state).toBe('unreachable');
  expect(reach.sentence).toContain(SOCKS);
});

test.each([
  ['says what is no address', () => Promise.resolve({ proxyUrl: 'what?', reason: null })],
  ['says nothing', () => Promise.reject(new Error('The other process is gone.'))],
])('a system that %s keeps nothing from starting', async (_, proxyFor) => {
  await using behind = await startBehind(proxyFor);
  const { systemProxy } = behind.house.gateway;
  expect(systemProxy).toEqual({ proxyUrl: null, reason: expect.stringContaining('none') });
});
