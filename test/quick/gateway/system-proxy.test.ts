import { expect, test } from 'vitest';
import { createDiagnostics } from '../../../gateway/api/procedures/diagnostics.ts';
import type { SystemProxy } from '../../../gateway/gateway.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { openConnectProxy } from '../../kit/net/connect-proxy.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { type Harness, type HarnessOptions, startHarness } from '../../kit/gateway/harness.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';
import { createFakeKeychain } from '../../kit/gateway/fake-keychain.ts';
import { order, startQuickHarness, whenState } from '../../kit/videos/queue.ts';

const NONE: SystemProxy = { proxyUrl: null, reason: null };
const SOCKS = 'The system names a SOCKS proxy, and Gatehouse cannot use one.';
const never = new AbortController().signal;

/** A harness whose service is known to a proxy only. */
async function startBehind(
  proxyFor: HarnessOptions['proxyFor'],
  start: (options: HarnessOptions) => Promise<Harness> = startHarness,
) {
  const closing = new AsyncDisposableStack();
  const service = closing.use(await openSandbox());
  const baseUrl = `http://service.test:${new URL(service.url).port}`;
  const options = { baseUrl, serviceKey: service.key, limits: { proxyLookMs: 30 } };
  const more = proxyFor === undefined ? {} : { proxyFor };
  const harness = closing.use(await start({ ...options, ...more }));
  return { harness, service, baseUrl, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}

test('exchanges, tests and videos go by the proxy that the system names for a service', async () => {
  await using proxy = await openConnectProxy();
  const asked: string[] = [];
  const proxyFor = (url: string) => {
    asked.push(url);
    return Promise.resolve({ proxyUrl: proxy.url, reason: null });
  };
  await using behind = await startBehind(proxyFor, startQuickHarness);
  const { harness, service, baseUrl } = behind;
  expect((await sendRequest(harness, question('chat'))).status).toBe(200);
  expect(await harness.gateway.models.refresh()).not.toEqual([]);
  const verdict = await harness.gateway.testUpstream(
    upstreamFormFor(`https://service.test`),
    'sk-k',
    never,
  );
  expect(verdict.works).toBe(false);
  const { id } = await order(harness, 'A fox. [scenario render-ms=60000]');
  await whenState(harness.repositories, id, 'rendering');
  expect(service.orders).toHaveLength(1);
  expect(new Set(proxy.asked)).toEqual(new Set([new URL(baseUrl).host, 'service.test:443']));
  expect(new Set(asked)).toEqual(new Set([baseUrl, 'https://service.test']));
  const diagnosis = await createDiagnostics({
    ...harness,
    windowPort: null,
    ...harness.repositories,
  });
  expect(diagnosis).toContain('Connection  through the proxy of the system');
  expect(diagnosis).not.toContain(proxy.url);
});

test('another proxy of the system is found out in time, and after a sleep', async () => {
  await using first = await openConnectProxy();
  await using second = await openConnectProxy();
  let wanted = first.url;
  await using behind = await startBehind(
    () => Promise.resolve({ proxyUrl: wanted, reason: null }),
    startQuickHarness,
  );
  const { harness } = behind;
  const { gateway } = harness;
  expect((await sendRequest(harness, question('chat'))).status).toBe(200);
  const { id } = await order(harness, 'A fox. [scenario render-ms=60000]');
  await whenState(harness.repositories, id, 'rendering');
  expect([first.asked.length > 0, second.asked.length]).toEqual([true, 0]);
  const { promise: called, resolve } = Promise.withResolvers<void>();
  const stop = gateway.on(() => gateway.systemProxy.proxyUrl === second.url && resolve());
  wanted = second.url;
  await called;
  stop();
  // The questions about the video.
  await second.used;
  // A request may use the tunnel of the questions again, but never the first proxy.
  const throughFirst = first.asked.length;
  expect((await sendRequest(harness, question('chat'))).status).toBe(200);
  expect(first.asked).toHaveLength(throughFirst);
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
  const secrets = createFakeKeychain({ [baseUrl]: service.key });
  await using harness = await startHarness({ proxyFor, secrets });
  expect((await sendRequest(harness, question('chat'))).status).toBe(200);
  const { upstreams } = harness.repositories;
  const form = upstreamFormFor(baseUrl, { proxyUrl: own.url });
  const { id } = await upstreams.add(form);
  await harness.gateway.useUpstream(id);
  expect((await sendRequest(harness, question('chat'))).status).toBe(200);
  expect(own.asked).not.toEqual([]);
  expect(asked).toEqual([]);
});

test('a proxy that cannot be used is named as the likely reason when nothing answers', async () => {
  await using behind = await startBehind(() => Promise.resolve({ proxyUrl: null, reason: SOCKS }));
  const { harness } = behind;
  expect((await sendRequest(harness, question('chat'))).status).toBe(502);
  await harness.recorded(1);
  const { reach } = await harness.gateway.status();
  expect(reach.state).toBe('unreachable');
  expect(reach.sentence).toContain(SOCKS);
});

test.each([
  ['says what is no address', () => Promise.resolve({ proxyUrl: 'what?', reason: null })],
  ['says nothing', () => Promise.reject(new Error('The other process is gone.'))],
])('a system that %s keeps nothing from starting', async (_, proxyFor) => {
  await using behind = await startBehind(proxyFor);
  const { systemProxy } = behind.harness.gateway;
  expect(systemProxy).toEqual({ proxyUrl: null, reason: expect.stringContaining('none') });
});
