import { expect, test } from 'vitest';
import type { LiveEvent } from '../../shared/status.ts';
import { openRooms, type Rooms } from '../../gateway/gateway.ts';
import { formFor } from '../kit/form.ts';
import { type House, startHouse } from '../kit/house.ts';
import { openUpstream } from '../kit/upstream.ts';

/** A house, the same data folder opened by somebody else, and what the house's windows hear. */
async function startWithOther(): Promise<
  AsyncDisposable & { house: House; other: Rooms; hear(what: string): Promise<void> }
> {
  const house = await startHouse();
  const other = await openRooms({ host: house.rooms.host });
  const heard: LiveEvent[] = [];
  house.gateway.on((event) => heard.push(event));
  return {
    house,
    other,
    hear: async (what) => {
      const isIt = (event: LiveEvent) => event.kind === 'changed' && event.what === what;
      await expect.poll(() => heard.some(isIt), { timeout: 5_000 }).toBe(true);
    },
    [Symbol.asyncDispose]: async () => {
      await other.close();
      await house[Symbol.asyncDispose]();
    },
  };
}

test('a service that another process begins to use is used from then on', async () => {
  await using both = await startWithOther();
  await using upstream = await openUpstream({ models: ['m'] });
  await both.other.upstreams.use({ baseUrl: upstream.url });
  await both.hear('upstreams');
  await expect
    .poll(async () => (await both.house.gateway.status()).upstream.baseUrl)
    .toBe(upstream.url);
});

test('a service that another process uses no longer is not left for made-up answers', async () => {
  await using both = await startWithOther();
  const { upstream } = await both.house.gateway.status();
  await both.other.upstreams.leave(upstream.baseUrl);
  await both.hear('upstreams');
  expect((await both.house.gateway.status()).upstream.baseUrl).toBe(upstream.baseUrl);
});

test('a service that another process only adds is shown and not used', async () => {
  await using both = await startWithOther();
  const { upstream } = await both.house.gateway.status();
  await both.other.upstreams.add(formFor('https://one.example.com', { name: 'One' }));
  await both.hear('upstreams');
  expect((await both.house.gateway.status()).upstream).toEqual(upstream);
});

test('settings and clients that another process changes hold here, too', async () => {
  await using both = await startWithOther();
  await both.other.settings.change({ repairs: false });
  await both.hear('settings');
  expect((await both.house.gateway.status()).repairs).toBe(false);
  await both.other.clients.add('From elsewhere');
  await both.hear('clients');
});
