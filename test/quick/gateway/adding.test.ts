import { expect, test } from 'vitest';
import type { SecretStore } from '../../../gateway/host.ts';
import { findKeyPlaces } from '../../../gateway/keys/keys.ts';
import { createFakeKeychain } from '../../kit/gateway/fake-keychain.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';

const FORM = upstreamFormFor('https://models.example.com');
const ADDED = { key: 'sk-the-key-of-a-service', place: 'keychain', use: true } as const;

test('finding 6: adding a service is all or nothing: it is not added when its key cannot be stored', async () => {
  await using harness = await startHarness();
  const { gateway } = harness;
  const before = await gateway.listUpstreams();
  await expect(gateway.addUpstream(FORM, ADDED)).rejects.toMatchObject({ field: 'place' });
  expect(await gateway.listUpstreams()).toEqual(before);
});

test('adding a service is all or nothing: it and its key go when it cannot be used', async () => {
  const secrets = createFakeKeychain();
  const pinned = { upstream: 'The service is fixed for this run.' };
  await using harness = await startHarness({ secrets, pinned });
  const { gateway } = harness;
  const before = await gateway.listUpstreams();
  await expect(gateway.addUpstream(FORM, ADDED)).rejects.toThrow(pinned.upstream);
  expect(await gateway.listUpstreams()).toEqual(before);
  expect([...secrets.stored]).toEqual([]);
});

test('an address that exists keeps its key when somebody tries to add it again', async () => {
  const secrets = createFakeKeychain();
  await using harness = await startHarness({ secrets });
  const { gateway } = harness;
  await gateway.addUpstream(FORM, ADDED);
  const again = gateway.addUpstream(FORM, { ...ADDED, key: 'sk-another-key' });
  await expect(again).rejects.toMatchObject({ field: 'baseUrl' });
  expect([...secrets.stored]).toEqual([['https://models.example.com', ADDED.key]]);
});

test('an address that another process adds meanwhile keeps its key', async () => {
  const keychain = createFakeKeychain();
  const meanwhile: (() => Promise<unknown>)[] = [];
  const secrets: SecretStore = {
    ...keychain,
    write: async (account, secret) => {
      await Promise.all(meanwhile.map((work) => work()));
      return await keychain.write(account, secret);
    },
  };
  await using harness = await startHarness({ secrets });
  const { upstreams } = harness.repositories;
  meanwhile.push(() => upstreams.add(FORM));
  const adding = harness.gateway.addUpstream(FORM, ADDED);
  await expect(adding).rejects.toMatchObject({ field: 'baseUrl' });
  expect([...keychain.stored]).toEqual([['https://models.example.com', ADDED.key]]);
});

test('nothing stays of a service whose adding is cancelled while the keychain asks for its password', async () => {
  const keychain = createFakeKeychain();
  const cancelled = new AbortController();
  const secrets: SecretStore = {
    ...keychain,
    write: async (account, secret) => {
      cancelled.abort();
      return await keychain.write(account, secret);
    },
  };
  await using harness = await startHarness({ secrets });
  const { gateway } = harness;
  const before = await gateway.listUpstreams();
  const { signal } = cancelled;
  await expect(gateway.addUpstream(FORM, { ...ADDED, signal })).rejects.toThrow('aborted');
  expect(await gateway.listUpstreams()).toEqual(before);
  expect([...keychain.stored]).toEqual([]);
});

test('a service is added with its key and used in one step', async () => {
  const secrets = createFakeKeychain();
  await using harness = await startHarness({ secrets });
  const { gateway } = harness;
  const { id } = await gateway.addUpstream(FORM, ADDED);
  expect(await gateway.status()).toMatchObject({ upstream: { id }, key: { name: 'keychain' } });
});

test('the places for a key tell whether there is a keychain', async () => {
  const missing = { state: 'unavailable', reason: 'There is no keychain here.' } as const;
  const none = () => Promise.resolve(missing);
  expect(await findKeyPlaces({ secrets: { read: none, write: none, remove: none } })).toEqual([
    { place: 'keychain', works: false, reason: missing.reason },
    { place: 'file', works: true, reason: null },
  ]);
  const [keychain] = await findKeyPlaces({ secrets: createFakeKeychain() });
  expect(keychain).toMatchObject({ works: true, reason: null });
});
