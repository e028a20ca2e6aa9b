import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir, uptime } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openGateway, openRepositories } from '../../../gateway/gateway.ts';
import type { Host, SecretStore } from '../../../gateway/host.ts';
import { openKeys } from '../../../gateway/keys/keys.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { createTestPlatform } from '../../kit/gateway/platform.ts';

const done = async () => await Promise.resolve({ state: 'done' } as const);

/** A keychain that keeps one secret for whoever asks. */
function openVault(secret: string): SecretStore & { put(secret: string): void } {
  let kept = secret;
  return {
    put: (next) => void (kept = next),
    read: async () => await Promise.resolve({ state: 'found', secret: kept }),
    write: done,
    remove: done,
  };
}

test('what another process changes while the gateway opens counts: a revoked client, a new service key', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'gatehouse-step-'));
  await using closing = new AsyncDisposableStack();
  closing.defer(async () => await rm(dataDir, { recursive: true }));
  const sandbox = closing.use(await openSandbox());
  const secrets = openVault('the-key-of-before');
  const host: Host = {
    dataDir,
    secrets,
    log: () => undefined,
    now: Date.now,
    uptime: () => uptime() * 1000,
    randomBytes,
  };
  const elsewhere = await openRepositories({ host });
  closing.defer(async () => await elsewhere.close());
  const leaving = await elsewhere.clients.add('Leaving');
  const staying = await elsewhere.clients.add('Staying');

  const repositories = await openRepositories({ host });
  closing.defer(async () => await repositories.close());
  const keys = await openKeys({ secrets, account: sandbox.url, log: host.log });
  closing.defer(() => keys.close());
  await elsewhere.clients.revoke('Leaving');
  secrets.put(sandbox.key);
  await elsewhere.upstreams.markKeyChanged(Date.now());
  const gateway = await openGateway({
    repositories,
    platform: createTestPlatform(keys),
    version: 'test',
    upstream: { baseUrl: sandbox.url },
    port: 0,
    allowedOrigins: [],
  });
  closing.defer(async () => await gateway.close(0));

  const statusFor = async (key: string) => {
    const url = `http://127.0.0.1:${gateway.port}/v1/models`;
    const answer = await fetch(url, { headers: { authorization: `Bearer ${key}` } });
    await answer.text();
    return answer.status;
  };
  expect(await statusFor(staying.key)).toBe(200);
  expect(await statusFor(leaving.key)).toBe(401);
});
