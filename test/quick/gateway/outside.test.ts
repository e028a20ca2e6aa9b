import { expect, test } from 'vitest';
import type { LiveEvent } from '../../../shared/status.ts';
import { openRepositories, type Repositories } from '../../../gateway/gateway.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { type Harness, startHarness } from '../../kit/gateway/harness.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';

/** A harness, the same data folder opened by somebody else, and what the harness's windows hear. */
async function startWithOther(): Promise<
  AsyncDisposable & { harness: Harness; other: Repositories; hear(what: string): Promise<void> }
> {
  const harness = await startHarness();
  const other = await openRepositories({ host: harness.repositories.host });
  const events: LiveEvent[] = [];
  harness.gateway.on((event) => events.push(event));
  return {
    harness,
    other,
    hear: async (what) => {
      const isIt = (event: LiveEvent) => event.kind === 'changed' && event.topic === what;
      await expect.poll(() => events.some(isIt)).toBe(true);
    },
    [Symbol.asyncDispose]: async () => {
      await other.close();
      await harness[Symbol.asyncDispose]();
    },
  };
}

test('a service that another process begins to use is used from then on', async () => {
  await using both = await startWithOther();
  await using upstream = await openUpstream({ models: ['m'] });
  await both.other.upstreams.addAndActivate({ baseUrl: upstream.url });
  await both.hear('upstreams');
  await expect
    .poll(async () => (await both.harness.gateway.status()).upstream.baseUrl)
    .toBe(upstream.url);
});

test('a service that another process uses no longer is not left for made-up answers', async () => {
  await using both = await startWithOther();
  const { upstream } = await both.harness.gateway.status();
  await both.other.upstreams.deactivate(upstream.baseUrl);
  await both.hear('upstreams');
  expect((await both.harness.gateway.status()).upstream.baseUrl).toBe(upstream.baseUrl);
});

test('a service that another process only adds is shown and not used', async () => {
  await using both = await startWithOther();
  const { upstream } = await both.harness.gateway.status();
  await both.other.upstreams.add(upstreamFormFor('https://one.example.com', { name: 'One' }));
  await both.hear('upstreams');
  expect((await both.harness.gateway.status()).upstream).toEqual(upstream);
});

test('settings and clients that another process changes hold here, too', async () => {
  await using both = await startWithOther();
  await both.other.settings.change({ repairs: false });
  await both.hear('settings');
  expect((await both.harness.gateway.status()).repairs).toBe(false);
  await both.other.clients.add('From elsewhere');
  await both.hear('clients');
});
