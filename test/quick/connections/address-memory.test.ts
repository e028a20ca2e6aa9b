import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { expect, test } from 'vitest';
import { AddressMemory } from '../../../gateway/http/address-memory.ts';
import { openNameServer } from '../../kit/net/name-server.ts';

const NAME = 'models.example.com';
const TTL = 60;
const ADDRESS = { address: '192.0.2.1', family: 4 };

/** Opens a memory whose system resolves every name to `addresses`, and whose clock the test sets. */
async function openMemory(addresses: readonly LookupAddress[] = [ADDRESS], ttl = TTL) {
  const server = await openNameServer(ADDRESS.address, ttl);
  const state = { now: 0, lookups: 0 };
  const asked: Promise<unknown>[] = [];
  const memory = new AddressMemory({
    lookup: (_name, _options, callback) => {
      state.lookups += 1;
      process.nextTick(callback, null, addresses);
    },
    createResolver: () => {
      const resolver = new Resolver({ timeout: 3_000, tries: 1 });
      resolver.setServers([server.server]);
      asked.push(resolver.resolve4('the.question.after', { ttl: true }));
      return resolver;
    },
    now: () => state.now,
  });
  const resolve = async (): Promise<unknown> => {
    const found = await new Promise((done, fail) =>
      memory.lookup(NAME, { all: true }, (error, all) =>
        error === null ? done(all) : fail(error),
      ),
    );
    await Promise.all(asked);
    // The questions of the memory were answered before; their results are taken over now.
    await new Promise((done) => setImmediate(done));
    return found;
  };
  return { memory, state, resolve, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

test('addresses are remembered for their lifetime, counted from the lookup', async () => {
  await using opened = await openMemory();
  const { state, resolve } = opened;
  expect(await resolve()).toEqual([ADDRESS]);
  state.now = TTL * 1_000 - 1;
  expect(await resolve()).toEqual([ADDRESS]);
  expect(state.lookups).toBe(1);
  state.now = TTL * 1_000;
  await resolve();
  expect(state.lookups).toBe(2);
});

test('a long lifetime is cut to five minutes', async () => {
  await using opened = await openMemory([ADDRESS], 86_400);
  const { state, resolve } = opened;
  await resolve();
  state.now = 5 * 60_000 - 1;
  await resolve();
  expect(state.lookups).toBe(1);
  state.now += 1;
  await resolve();
  expect(state.lookups).toBe(2);
});

test.each([
  {
    name: 'the hosts file gives another address',
    addresses: [{ ...ADDRESS, address: '10.0.0.1' }],
  },
  {
    name: 'the name servers know only one of two addresses',
    addresses: [ADDRESS, { address: '192.0.2.2', family: 4 }],
  },
])('nothing is remembered when $name', async ({ addresses }) => {
  await using opened = await openMemory(addresses);
  await opened.resolve();
  expect(await opened.resolve()).toEqual(addresses);
  expect(opened.state.lookups).toBe(2);
});

test('a failed connection and another network forget', async () => {
  await using opened = await openMemory();
  const { memory, state, resolve } = opened;
  await resolve();
  memory.forget(NAME);
  await resolve();
  expect(state.lookups).toBe(2);
  memory.forgetAll();
  await resolve();
  expect(state.lookups).toBe(3);
});
