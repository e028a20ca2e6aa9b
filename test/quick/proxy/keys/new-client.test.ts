import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openClients } from '../../../../gateway/clients/clients.ts';
import { openStore } from '../../../../gateway/store/store.ts';
import { startHarness } from '../../../kit/gateway/harness.ts';

test('a local key created in another process works immediately', async () => {
  await using harness = await startHarness();
  const store = await openStore(join(harness.dataDir, 'gatehouse.db'));
  const elsewhere = await openClients({ store, now: Date.now, randomBytes, log: () => undefined });
  const { key } = await elsewhere.add('From elsewhere');
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${harness.url}/v1/models`, { headers });
  await store.close();
  expect(answer.status).toBe(200);
  expect(harness.sandbox.requests.at(-1)?.url).toBe('/v1/models');
});
