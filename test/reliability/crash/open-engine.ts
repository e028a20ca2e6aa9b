import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import { type Gateway, openGateway, openRepositories } from '../../../gateway/gateway.ts';
import type { Repositories } from '../../../gateway/repositories.ts';
import { openKeys } from '../../../gateway/keys/keys.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { createTestPlatform } from '../../kit/gateway/platform.ts';

function log(): void {}

/** An engine on a data folder, with a sandbox as its service, for a process that is killed. */
export interface Engine {
  readonly gateway: Gateway;
  readonly repositories: Repositories;
}

export async function openEngine(dataDir: string): Promise<Engine> {
  const sandbox = await openSandbox();
  const secrets = {
    read: () => Promise.resolve({ state: 'absent' } as const),
    write: () => Promise.resolve({ state: 'unavailable', reason: 'none' } as const),
    remove: () => Promise.resolve({ state: 'unavailable', reason: 'none' } as const),
  };
  const host = { dataDir, secrets, log, now: Date.now, uptime: () => uptime() * 1000, randomBytes };
  const repositories = await openRepositories({ host });
  const keys = await openKeys({ secrets, log, account: sandbox.url, thisRunKey: sandbox.key });
  const gateway = await openGateway({
    repositories,
    platform: createTestPlatform(keys),
    version: 'test',
    upstream: { baseUrl: sandbox.url },
    port: 0,
    allowedOrigins: [],
  });
  return { gateway, repositories };
}
