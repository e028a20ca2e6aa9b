import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openClients } from '../../gateway/clients/clients.ts';
import { openStore } from '../../gateway/store/store.ts';
import { startHouse } from '../kit/house.ts';

test('a local key made in another terminal works at once', async () => {
  await using house = await startHouse();
  const store = await openStore(join(house.dataDir, 'gatehouse.db'));
  const elsewhere = await openClients({ store, now: Date.now, randomBytes, log: () => undefined });
  const { key } = await elsewhere.add('From elsewhere');
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${house.url}/v1/models`, { headers });
  await store.close();
  expect(answer.status).toBe(200);
  expect(house.sandbox.seen.at(-1)?.url).toBe('/v1/models');
});
