import { once } from 'node:events';
import { copyFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { afterAll, assert, beforeAll, describe, expect, test } from 'vitest';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { openGateway } from '../../../gateway/gateway.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { type Authority, createAuthority } from '../../kit/net/authority.ts';
import { openConnectProxy } from '../../kit/net/connect-proxy.ts';
import { upstreamFormFor } from '../../kit/gateway/upstream-form.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { createTestPlatform } from '../../kit/gateway/platform.ts';
import { sendRequest, question } from '../../kit/gateway/request.ts';
import { jsonAnswer, openUpstream } from '../../kit/net/scripted-upstream.ts';
import { createFakeKeychain } from '../../kit/gateway/fake-keychain.ts';

const KEY = 'sk-the-key-of-a-service';
const never = new AbortController().signal;

describe('The list of upstreams', () => {
  test('has what is stored, the one in use marked, and the sandbox last', async () => {
    await using harness = await startHarness();
    const added = await harness.gateway.addUpstream(
      upstreamFormFor('https://models.example.com/v1/chat/completions', { name: 'Work' }),
    );
    expect(added).toMatchObject({ name: 'Work', baseUrl: 'https://models.example.com' });
    const unnamed = await harness.gateway.addUpstream(upstreamFormFor('https://other.example.com'));
    expect(unnamed).toMatchObject({ name: 'other.example.com', active: false });
    const listed = await harness.gateway.listUpstreams();
    expect(listed.map(({ kind, active }) => [kind, active])).toEqual([
      ['service', true],
      ['service', false],
      ['service', false],
      ['sandbox', false],
    ]);
    expect(listed.at(-1)).toMatchObject({ id: SANDBOX_ID, baseUrl: '', key: { name: 'this-run' } });
    expect(listed.find(({ id }) => id === added.id)?.key.name).toBe('missing');
  });

  test('begins with the sandbox alone, and the sandbox answers', async () => {
    await using harness = await startHarness({ baseUrl: null });
    expect(await harness.gateway.listUpstreams()).toMatchObject([{ id: SANDBOX_ID, active: true }]);
    expect(await harness.gateway.status()).toMatchObject({
      upstream: { kind: 'sandbox', baseUrl: harness.sandbox.url },
      key: { sentence: 'The sandbox needs no service key.' },
      reach: { state: 'unknown' },
    });
    expect((await sendRequest(harness, question('chat'))).status).toBe(200);
    expect((await harness.gateway.status()).reach.state).toBe('reachable');
  });

  test('an address is there once only, and what is wrong is said at its field', async () => {
    await using harness = await startHarness();
    const { gateway } = harness;
    const { id } = await gateway.addUpstream(upstreamFormFor('https://one.example.com'));
    const refusals: readonly [Parameters<typeof upstreamFormFor>, string][] = [
      [['https://one.example.com/v1'], 'baseUrl'],
      [['ftp://one.example.com'], 'baseUrl'],
      [['https://two.example.com', { caFile: 'relative.pem' }], 'caFile'],
      [['https://two.example.com', { caFile: '/nowhere/ca.pem' }], 'caFile'],
      [['https://two.example.com', { caFile: join(harness.dataDir, 'gatehouse.db') }], 'caFile'],
      [['https://two.example.com', { caFile: harness.dataDir }], 'caFile'],
      [['https://two.example.com', { proxyUrl: 'socks5://127.0.0.1:1' }], 'proxyUrl'],
      [['https://two.example.com', { proxyUrl: 'http://me:secret@proxy.example.com' }], 'proxyUrl'],
      [['https://two.example.com', { proxyUrl: 'http://proxy.example.com/path' }], 'proxyUrl'],
    ];
    for (const [form, field] of refusals) {
      await expect(gateway.addUpstream(upstreamFormFor(...form))).rejects.toMatchObject({
        name: 'UserError',
        field,
      });
    }
    const other = await gateway.addUpstream(upstreamFormFor('https://two.example.com'));
    await expect(
      gateway.changeUpstream(other.id, upstreamFormFor('https://one.example.com')),
    ).rejects.toMatchObject({ field: 'baseUrl' });
    expect(
      await gateway.changeUpstream(id, upstreamFormFor('https://one.example.com', { name: 'One' })),
    ).toMatchObject({ id, name: 'One' });
  });

  test('the service in use is changed while it is in use', async () => {
    await using harness = await startHarness();
    const { upstream } = await harness.gateway.status();
    await harness.gateway.changeUpstream(
      upstream.id,
      upstreamFormFor(upstream.baseUrl, { versionVendor: 'acme' }),
    );
    await sendRequest(harness, {
      ...question('messages'),
      headers: ['Content-Type: application/json'],
    });
    const { rawHeaders } = harness.sandbox.requests.at(-1) ?? { rawHeaders: [] };
    expect(rawHeaders.map((name) => name.toLowerCase())).toContain('acme-version');
  });
});

describe('The key of an upstream', () => {
  test('is kept for it alone, used at once, and forgotten with it', async () => {
    const secrets = createFakeKeychain();
    await using sandbox = await openSandbox();
    await using harness = await startHarness({ baseUrl: null, secrets });
    const { gateway } = harness;
    const { id } = await gateway.addUpstream(upstreamFormFor(sandbox.url));
    await gateway.useUpstream(id);
    expect((await sendRequest(harness, question('chat'))).status).toBe(503);
    await expect(gateway.saveKey(id, 'two words', 'keychain')).rejects.toMatchObject({
      field: 'key',
    });
    expect(await gateway.saveKey(id, `Bearer ${sandbox.key}`, 'keychain')).toMatchObject({
      name: 'keychain',
    });
    expect([...secrets.stored]).toEqual([[sandbox.url, sandbox.key]]);
    expect((await sendRequest(harness, question('chat'))).status).toBe(200);

    await gateway.removeUpstream(id);
    expect(secrets.stored.size).toBe(0);
    expect((await gateway.status()).upstream.id).toBe(SANDBOX_ID);
    expect(await gateway.listUpstreams()).toHaveLength(1);
    expect((await sendRequest(harness, question('chat'))).status).toBe(200);
    await expect(gateway.useUpstream(id)).rejects.toMatchObject({ name: 'NotFoundError' });
  });

  test('that cannot be removed keeps its upstream, and windows are told that it is not in use', async () => {
    const vault = createFakeKeychain();
    const reason = 'It is locked.';
    const remove = () => Promise.resolve({ state: 'locked', reason } as const);
    await using harness = await startHarness({ serviceKey: null, secrets: { ...vault, remove } });
    const { gateway } = harness;
    const { id } = (await gateway.status()).upstream;
    await gateway.saveKey(id, KEY, 'keychain');
    const reported: string[] = [];
    gateway.on((event) => void (event.kind === 'changed' && reported.push(event.topic)));
    await expect(gateway.removeUpstream(id)).rejects.toMatchObject({ field: 'key' });
    expect(reported.at(-1)).toBe('upstreams');
    expect(await gateway.listUpstreams()).toMatchObject([{ id, active: false }, { active: true }]);
  });

  test('does not go to another address of the same upstream', async () => {
    const secrets = createFakeKeychain();
    await using harness = await startHarness({ secrets });
    const { gateway } = harness;
    const { id } = await gateway.addUpstream(upstreamFormFor('https://one.example.com'));
    await gateway.saveKey(id, KEY, 'keychain');
    await gateway.changeUpstream(id, upstreamFormFor('https://two.example.com'));
    expect(secrets.stored.size).toBe(0);
    expect((await gateway.readKey(id)).name).toBe('missing');
  });

  test('that the service refuses is told, until it takes one', async () => {
    const secrets = createFakeKeychain();
    await using sandbox = await openSandbox();
    await using harness = await startHarness({ baseUrl: null, secrets });
    const { gateway } = harness;
    const { id } = await gateway.addUpstream(upstreamFormFor(sandbox.url));
    await gateway.saveKey(id, 'sk-a-wrong-key-of-the-service', 'keychain');
    await gateway.useUpstream(id);
    expect((await sendRequest(harness, question('chat'))).status).toBe(401);
    expect((await gateway.status()).keyRefusedAt).toBeTypeOf('number');
    await gateway.saveKey(id, sandbox.key, 'keychain');
    expect((await gateway.status()).keyRefusedAt).toBeNull();
  });

  test.each([
    [null, 'test it in Settings'],
    ['gatehouse', 'run gatehouse key test'],
  ])('that the service refuses is tested where a person can: %s', async (command, way) => {
    const serviceKey = 'sk-a-wrong-key-of-the-service';
    await using harness = await startHarness({ serviceKey, command });
    await expect(harness.gateway.models.refresh()).rejects.toThrow(way);
  });

  test('the sandbox takes none and cannot be removed', async () => {
    await using harness = await startHarness();
    await expect(harness.gateway.saveKey(SANDBOX_ID, KEY, 'keychain')).rejects.toMatchObject({
      name: 'UserError',
    });
    await expect(harness.gateway.removeUpstream(SANDBOX_ID)).rejects.toMatchObject({
      name: 'UserError',
    });
  });
});

describe('A test of address and key', () => {
  test('tells how many models there are, with a typed key or the kept one, and keeps nothing', async () => {
    const secrets = createFakeKeychain();
    await using sandbox = await openSandbox();
    await using harness = await startHarness({ secrets });
    const { gateway } = harness;
    const form = upstreamFormFor(`${sandbox.url}/v1/models`);
    const typed = await gateway.testUpstream(form, sandbox.key, never);
    expect(typed).toMatchObject({ works: true, models: expect.any(Number) });
    const kept = await gateway.testUpstream(form, null, never);
    expect(kept).toMatchObject({ works: false, models: null });
    expect(kept.sentence).toContain('No service key is stored');
    expect(await gateway.testUpstream(form, 'sk-a-wrong-key', never)).toMatchObject({
      works: false,
    });
    expect([secrets.stored.size, (await gateway.listUpstreams()).length]).toEqual([0, 2]);
  });

  test('of one to add needs a typed key and a new address, whatever is kept', async () => {
    await using sandbox = await openSandbox();
    await using harness = await startHarness({ secrets: createFakeKeychain() });
    const { gateway } = harness;
    const form = upstreamFormFor(sandbox.url);
    expect(await gateway.testNewUpstream(form, null, never)).toMatchObject({
      works: false,
      sentence: 'Enter the service key to test it.',
    });
    expect(await gateway.testNewUpstream(form, sandbox.key, never)).toMatchObject({ works: true });
    await gateway.addUpstream(form, { key: sandbox.key, place: 'keychain', use: false });
    for (const key of [null, sandbox.key]) {
      await expect(gateway.testNewUpstream(form, key, never)).rejects.toThrow(
        `A service with the address ${sandbox.url} already exists.`,
      );
    }
    expect(await gateway.testUpstream(form, null, never)).toMatchObject({ works: true });
  });

  test('with a typed key does not wake the keychain', async () => {
    const asked: string[] = [];
    const vault = createFakeKeychain();
    const read = (account: string) => {
      asked.push(account);
      return vault.read(account);
    };
    await using sandbox = await openSandbox();
    await using harness = await startHarness({ secrets: { ...vault, read } });
    const { signal } = new AbortController();
    const verdict = harness.gateway.testUpstream(upstreamFormFor(sandbox.url), sandbox.key, signal);
    expect(await verdict).toMatchObject({ works: true });
    expect(asked).not.toContain(sandbox.url);
  });

  test('tells when a web page answers instead of a service', async () => {
    await using upstream = await openUpstream();
    await using harness = await startHarness();
    const testing = harness.gateway.testUpstream(upstreamFormFor(upstream.url), KEY, never);
    const { connection } = await upstream.next();
    connection.send(jsonAnswer(200, { page: 'welcome' }));
    const verdict = await testing;
    expect(verdict).toMatchObject({ works: false, models: null });
    expect(verdict.sentence).toContain('not with a model list');
  });

  test('stops when nobody waits for it any more', async () => {
    await using upstream = await openUpstream();
    await using harness = await startHarness();
    const stop = new AbortController();
    const testing = harness.gateway.testUpstream(upstreamFormFor(upstream.url), KEY, stop.signal);
    const stopped = expect(testing).rejects.toThrow('enough');
    const { connection } = await upstream.next();
    stop.abort(new Error('enough'));
    await Promise.all([stopped, connection.closed]);
  });

  test('of the service in use shows whether it can be reached', async () => {
    const upstream = await openUpstream({ models: ['m'] });
    await using harness = await startHarness({ baseUrl: upstream.url, serviceKey: KEY });
    const { gateway } = harness;
    await gateway.testUpstream(upstreamFormFor(upstream.url), null, never);
    expect((await gateway.status()).reach.state).toBe('reachable');
    await upstream[Symbol.asyncDispose]();
    await gateway.testUpstream(upstreamFormFor(upstream.url), null, never);
    expect((await gateway.status()).reach).toMatchObject({
      state: 'unreachable',
      sentence: expect.stringContaining('Nothing is listening at this address'),
    });
  });
});

describe('A service whose certificate the system does not know', () => {
  let authority: Authority;
  beforeAll(async () => (authority = await createAuthority()));
  afterAll(() => authority[Symbol.asyncDispose]());

  async function openSecure() {
    const server = createServer(authority, (request, response) => {
      const list = { object: 'list', data: [{ id: 'm', object: 'model' }] };
      const lines = request.rawHeaders.filter((_, index) => index % 2 === 0);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(request.method === 'GET' ? list : { lines, choices: [] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    assert(typeof address === 'object' && address !== null);
    return {
      url: `https://localhost:${address.port}`,
      host: `localhost:${address.port}`,
      [Symbol.asyncDispose]: async () => {
        server.close();
        server.closeAllConnections();
        await once(server, 'close');
      },
    };
  }

  test('is trusted with the file of its authority, and not without', async () => {
    await using service = await openSecure();
    await using harness = await startHarness({
      secrets: createFakeKeychain({ [service.url]: KEY }),
    });
    const { gateway } = harness;
    const { id } = await gateway.addUpstream(upstreamFormFor(service.url));
    await gateway.useUpstream(id);
    expect((await sendRequest(harness, question('chat', { model: 'm' }))).status).toBe(502);
    const plain = await gateway.testUpstream(upstreamFormFor(service.url), null, never);
    expect(plain.sentence).toContain('certificate could not be verified');

    const form = upstreamFormFor(service.url, { caFile: authority.caFile });
    expect(await gateway.testUpstream(form, null, never)).toMatchObject({ works: true, models: 1 });
    await gateway.changeUpstream(id, form);
    expect((await sendRequest(harness, question('chat', { model: 'm' }))).status).toBe(200);
  });

  test('a damaged file of certificates is refused, and one that is gone keeps nobody from starting', async () => {
    await using harness = await startHarness();
    const caFile = join(harness.dataDir, 'ca.pem');
    const form = upstreamFormFor('https://one.example.com', { caFile });
    await writeFile(caFile, '-----BEGIN CERTIFICATE-----\nbroken\n-----END CERTIFICATE-----\n');
    const { gateway } = harness;
    await expect(gateway.addUpstream(form)).rejects.toMatchObject({ field: 'caFile' });
    await copyFile(authority.caFile, caFile);
    const { id } = await gateway.addUpstream(form);
    await harness.repositories.upstreams.activate(id);
    await rm(caFile);
    const { repositories, keys } = harness;
    const platform = createTestPlatform(keys);
    const later = await openGateway({
      repositories,
      platform,
      version: 'test',
      port: 0,
      allowedOrigins: [],
    });
    expect((await later.status()).upstream.id).toBe(id);
    expect(harness.logged.join()).toContain('There is no file at this path.');
    await later.close(0);
  });

  test('is reached through a proxy, and the request arrives as it does without one', async () => {
    await using service = await openSecure();
    await using proxy = await openConnectProxy();
    await using harness = await startHarness({
      secrets: createFakeKeychain({ [service.url]: KEY }),
    });
    const { gateway } = harness;
    const form = upstreamFormFor(service.url, { caFile: authority.caFile, proxyUrl: proxy.url });
    const { id } = await gateway.addUpstream(form);
    await gateway.useUpstream(id);
    const twice = ['X-Twice: one', 'X-Twice: two'];
    const answer = await sendRequest(harness, question('chat', { model: 'm', headers: twice }));
    expect(answer.status).toBe(200);
    expect(answer.body.match(/X-Twice/g)).toHaveLength(2);
    expect(new Set(proxy.asked)).toEqual(new Set([service.host]));
    expect(await gateway.testUpstream(form, null, never)).toMatchObject({ works: true });
  });
});

describe('A proxy', () => {
  test('is used for a plain address too, and a stream runs through it', async () => {
    await using proxy = await openConnectProxy();
    await using sandbox = await openSandbox();
    await using harness = await startHarness({
      secrets: createFakeKeychain({ [sandbox.url]: sandbox.key }),
    });
    const { id } = await harness.gateway.addUpstream(
      upstreamFormFor(sandbox.url, { proxyUrl: proxy.url }),
    );
    await harness.gateway.useUpstream(id);
    const answer = await sendRequest(harness, question('chat', { stream: true }));
    expect(answer.body).toContain('data: [DONE]');
    expect(new Set(proxy.asked)).toEqual(new Set([new URL(sandbox.url).host]));
  });

  test('that lets nothing through is told as that, and the key goes nowhere', async () => {
    await using proxy = await openConnectProxy(407);
    await using upstream = await openUpstream();
    await using harness = await startHarness({
      secrets: createFakeKeychain({ [upstream.url]: KEY }),
    });
    const form = upstreamFormFor(upstream.url, { proxyUrl: proxy.url });
    const { id } = await harness.gateway.addUpstream(form);
    await harness.gateway.useUpstream(id);
    const answer = await sendRequest(harness, { path: '/v1/models' });
    expect(answer.status).toBe(502);
    expect(answer.body).toContain(`The proxy at ${proxy.url} does not connect`);
    const verdict = await harness.gateway.testUpstream(form, null, never);
    expect(verdict.sentence).toContain('The proxy did not connect to the service.');
    expect(upstream.arrivals).toEqual([]);
  });
});
