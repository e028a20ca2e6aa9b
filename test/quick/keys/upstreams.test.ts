import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, assert, beforeEach, expect, test } from 'vitest';
import { Agent } from 'undici';
import { startHarness } from '../../kit/gateway/harness.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { openUpstream } from '../../kit/net/scripted-upstream.ts';
import { openStore, type Store } from '../../../gateway/store/store.ts';
import { requestModelList, openUpstreams } from '../../../gateway/upstreams/upstreams.ts';

let folder: string;
let store: Store;
const dispatcher = new Agent();

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-upstreams-'));
  store = await openStore(join(folder, 'gatehouse.db'));
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

test('the upstream used last is the active one, and there is only one', async () => {
  const upstreams = openUpstreams({ store, randomBytes });
  expect(await upstreams.active()).toBeNull();
  const first = await upstreams.addAndActivate({ baseUrl: 'https://one.example.com' });
  await upstreams.addAndActivate({ baseUrl: 'https://two.example.com', versionVendor: 'acme' });
  expect(await upstreams.active()).toMatchObject({
    name: 'two.example.com',
    versionVendor: 'acme',
  });
  expect(await upstreams.addAndActivate({ baseUrl: 'https://one.example.com' })).toEqual(first);
  expect(await upstreams.active()).toEqual(first);
});

test('a service that is left is used no longer, and another one is not touched', async () => {
  const upstreams = openUpstreams({ store, randomBytes });
  const one = await upstreams.addAndActivate({
    baseUrl: 'https://one.example.com',
    versionVendor: 'acme',
  });
  await upstreams.deactivate('https://two.example.com');
  expect(await upstreams.active()).toEqual(one);
  await upstreams.deactivate('https://one.example.com');
  expect(await upstreams.active()).toBeNull();
  expect(await upstreams.addAndActivate({ baseUrl: 'https://one.example.com' })).toEqual(one);
});

test('whether a service is asked about its cache is off at first, is stored, and stays until it is changed', async () => {
  const upstreams = openUpstreams({ store, randomBytes });
  const form = upstreamFormFor('https://one.example.com', { name: 'One' });
  const { id, asksCacheReason } = await upstreams.add(form);
  expect(asksCacheReason).toBe(false);
  await upstreams.change(id, { ...form, asksCacheReason: true });
  await store.close();
  store = await openStore(join(folder, 'gatehouse.db'));
  const reopened = openUpstreams({ store, randomBytes });
  expect(await reopened.list()).toMatchObject([{ asksCacheReason: true }]);
  expect(await reopened.change(id, form)).toMatchObject({ asksCacheReason: true });
});

test('the vendor of an upstream stays until another is named', async () => {
  const upstreams = openUpstreams({ store, randomBytes });
  const baseUrl = 'https://one.example.com';
  expect((await upstreams.addAndActivate({ baseUrl })).versionVendor).toBe('anthropic');
  await upstreams.addAndActivate({ baseUrl, versionVendor: 'acme' });
  expect((await upstreams.addAndActivate({ baseUrl })).versionVendor).toBe('acme');
});

test('a change of the service key leaves a mark with its time and nothing else', async () => {
  const upstreams = openUpstreams({ store, randomBytes });
  expect(await upstreams.keyChangedAt()).toBeNull();
  await upstreams.markKeyChanged(1_700_000_000_000);
  await upstreams.markKeyChanged(1_700_000_000_001);
  expect(await upstreams.keyChangedAt()).toBe(1_700_000_000_001);
});

test('the model list is asked with the key, and a redirect takes the key nowhere', async () => {
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(302, { location: '/elsewhere' }).end('moved');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert(typeof address === 'object' && address !== null);
  const baseUrl = `http://127.0.0.1:${address.port}/api`;
  const ask = { baseUrl, key: 'sk-test', timeoutMs: 60_000, dispatcher };
  const before = Date.now();
  const answer = await requestModelList(ask);
  expect(answer).toMatchObject({ status: 302, body: Buffer.from('moved') });
  // The field has whole seconds.
  expect(answer.date).toBeGreaterThan(before - 1_000);
  expect(answer.date).toBeLessThanOrEqual(Date.now());
  expect(seen).toEqual(['/api/v1/models Bearer sk-test']);
  server.close();
  server.closeAllConnections();
  await once(server, 'close');
  await expect(requestModelList(ask)).rejects.toHaveProperty('code', 'ECONNREFUSED');
});

test('a model list that is no longer wanted is no longer asked for', async () => {
  await using upstream = await openUpstream();
  const stop = new AbortController();
  const { signal } = stop;
  const ask = { baseUrl: upstream.url, key: 'sk-test', timeoutMs: 600_000, signal, dispatcher };
  const asking = expect(requestModelList(ask)).rejects.toThrow('enough');
  const { connection } = await upstream.next();
  stop.abort(new Error('enough'));
  await Promise.all([asking, connection.closed]);
});

// Shorter than the 20 s after which the list would be given up anyway.
test('a gateway that closes stops asking for the model list', { timeout: 15_000 }, async () => {
  await using upstream = await openUpstream();
  await using harness = await startHarness({ baseUrl: upstream.url });
  const refreshing = expect(harness.gateway.models.refresh()).rejects.toThrow();
  const { connection } = await upstream.next();
  await Promise.all([harness.gateway.close(0), refreshing, connection.closed]);
});
