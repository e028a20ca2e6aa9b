import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openClients } from '../../../gateway/clients/clients.ts';
import { openHistory } from '../../../gateway/history/history.ts';
import { openStore, type Store } from '../../../gateway/store/store.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';

const NOW = 1_700_000_000_000;
let folder: string;
let store: Store;
let time: number;

beforeEach(async () => {
  time = NOW;
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-expiry-'));
  store = await openStore(join(folder, 'gatehouse.db'));
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const open = async () =>
  await openClients({ store, randomBytes, log: () => undefined, now: () => time });

test.each([NOW, NOW - 1, 0, Number.NaN])(
  '%s is no expiry, because it is not in the future',
  async (at) => {
    const clients = await open();
    await expect(clients.add('Editor', at)).rejects.toThrow('in the future');
    const { client } = await clients.add('Editor', NOW + 1);
    await expect(clients.setExpiry(client.id, at)).rejects.toThrow('in the future');
    await expect(clients.renew(client.id, at)).rejects.toThrow('in the future');
    expect(await clients.list()).toMatchObject([{ expiresAt: NOW + 1, expired: false }]);
  },
);

test('a key that expired while nothing ran stays expired when the clock is set back', async () => {
  await (await open()).add('Editor', NOW + 1_000);
  time = NOW + 1_000;
  expect(await (await open()).list()).toMatchObject([{ expired: true }]);
  time = NOW;
  const clients = await open();
  const [client] = await clients.list();
  expect(client).toMatchObject({ expired: true, expiresAt: NOW + 1_000 });
  expect(client !== undefined && clients.hasExpired(client, NOW)).toBe(true);
});

test('a new key gets an expiry of its own, and a window learns when a key has expired', async () => {
  const clients = await open();
  const { client } = await clients.add('Editor', NOW + 1_000);
  let reports = 0;
  clients.on(() => (reports += 1));
  time = NOW + 5_000;
  expect(clients.hasExpired(client, time)).toBe(true);
  await expect.poll(() => reports).toBe(1);
  const renewed = await clients.renew(client.id, NOW + 9_000);
  expect(renewed.client).toMatchObject({ expiresAt: NOW + 9_000, expired: false });
  expect(clients.find([renewed.key])?.client).toEqual(renewed.client);
  expect(clients.hasExpired(renewed.client, time)).toBe(false);
  expect((await clients.renew(client.id, null)).client).toMatchObject({ expiresAt: null });
});

test('lists the video queue and all unknown callers with their use, once each', async () => {
  const clients = await open();
  await clients.add('Editor');
  expect((await clients.list()).map(({ name }) => name)).toEqual(['Editor']);
  const history = openHistory({
    store,
    now: () => time,
    redact: (words) => words,
    log: () => undefined,
    getRetention: null,
  });
  const queue = { clientId: null, clientName: 'Videos', startedAt: NOW };
  const stranger = { clientId: null, clientName: null, startedAt: NOW + 1 };
  const nameless = { clientId: null, clientName: 'Of an earlier version' };
  for (const [at, fields] of [queue, queue, stranger, nameless].entries()) {
    history.record(anExchange(`x${at}`, fields));
  }
  await history.close();
  expect(await clients.list()).toMatchObject([
    { name: 'Editor', kind: 'stored', exchanges: 0 },
    { name: 'Videos', kind: 'videos', exchanges: 2, lastUsedAt: NOW },
    { name: 'Unknown callers', kind: 'unknown', exchanges: 1, lastUsedAt: NOW + 1 },
  ]);
  await expect(clients.add(' videos ')).rejects.toThrow('is a name of Gatehouse itself');
  await expect(clients.add('Unknown')).rejects.toThrow('is a name of Gatehouse itself');
});
