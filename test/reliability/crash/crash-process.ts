import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import { openGateway, openRepositories } from '../../../gateway/gateway.ts';
import { openKeys } from '../../../gateway/keys/keys.ts';
import { openSandbox } from '../../../sandbox/server.ts';
import { createTestPlatform } from '../../kit/gateway/platform.ts';

/** Serves from a data folder and asks itself, four requests at a time, until it is killed. Tells each answer and each written batch. */
const dataDir = String(process.argv[2]);
const WORKERS = 4;
const MAX_REQUESTS = 5000;

const sandbox = await openSandbox();
const secrets = {
  read: () => Promise.resolve({ state: 'absent' } as const),
  write: () => Promise.resolve({ state: 'unavailable', reason: 'none' } as const),
  remove: () => Promise.resolve({ state: 'unavailable', reason: 'none' } as const),
};
const log = () => undefined;
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
const { key } = await repositories.clients.add(`Client ${process.pid}`);
gateway.history.on((written) => process.send?.({ written }));
process.once('disconnect', () => process.exit(1));

async function askOnce(stream: boolean): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'aurora/aurora-small',
      messages: [{ role: 'user', content: 'Hello' }],
      stream,
    }),
  });
  await answer.arrayBuffer();
  process.send?.({ answered: answer.status });
}

async function work(): Promise<void> {
  for (let n = 0; n < MAX_REQUESTS / WORKERS; n += 1) await askOnce(n % 2 === 0);
}

await Promise.all(Array.from({ length: WORKERS }, work));
