import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import {
  ClientError,
  openClients,
  InvalidLocalKeyError,
  type Clients,
  type ClientsOptions,
} from '../../../gateway/clients/clients.ts';
import { openHistory } from '../../../gateway/history/history.ts';
import { openStore, type Store } from '../../../gateway/store/store.ts';
import { UNKNOWN_USAGE } from '../../../shared/exchange/usage.ts';
import { anExchange } from '../../kit/history/an-exchange.ts';

let folder: string;
let store: Store;
let time = 1_700_000_000_000;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-clients-'));
  store = await openStore(join(folder, 'gatehouse.db'));
});

afterEach(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

const open = async (more: Partial<ClientsOptions> = {}) =>
  await openClients({
    store,
    randomBytes,
    log: () => undefined,
    now: () => (time += 1_000),
    ...more,
  });

test('a new client is found by its key and by nothing else', async () => {
  const clients = await open();
  const { client, key } = await clients.add('  Editor ');
  expect(client.name).toBe('Editor');
  expect(clients.find(['wrong', key])).toEqual({ client, index: 1, project: null });
  expect(clients.find([''])).toBeNull();
  expect(clients.find([])).toBeNull();
  expect(clients.find([key.slice(0, -1)])).toBeNull();
});

test('no byte of the data folder holds a local key', async () => {
  const clients = await open();
  const { key } = await clients.add('Editor');
  for (const file of await readdir(folder)) {
    const bytes = await readFile(join(folder, file));
    expect(bytes.includes(key)).toBe(false);
    expect(bytes.includes(key.slice(3))).toBe(false);
  }
});

test('a name is taken, whatever its letter case, until its client is revoked', async () => {
  const clients = await open();
  await clients.add('Éditeur');
  await expect(clients.add('éditeur')).rejects.toThrow(ClientError);
  await clients.revoke('ÉDITEUR');
  await expect(clients.add('éditeur')).resolves.toHaveProperty('key');
});

test('two processes cannot give the same name twice', async () => {
  const one = await open();
  const other = await open();
  const results = await Promise.allSettled([one.add('Editor'), other.add('editor')]);
  expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
});

test('a revoked key is refused at once, and elsewhere after a reload', async () => {
  const here = await open();
  const { key } = await here.add('Editor');
  const elsewhere = await open();
  await elsewhere.revoke('editor');
  expect(elsewhere.find([key])).toBeNull();
  await here.reload();
  expect(here.find([key])).toBeNull();
  await expect(here.revoke('editor')).rejects.toThrow('"Editor" is already revoked.');
  await expect(here.revoke('nobody')).rejects.toThrow('There is no client named "nobody".');
});

test('a client that another process has just added is found by a fresh look', async () => {
  const here = await open();
  const elsewhere = await open();
  const { client, key } = await elsewhere.add('Editor');
  expect(here.find([key])).toBeNull();
  expect(await here.findUncached(['wrong', key])).toEqual({ client, index: 1, project: null });
});

test('however many unknown keys come, the clients are read once in a while, and a new one is still found', async () => {
  const here = await open();
  let reads = 0;
  const reload = here.reload.bind(here);
  here.reload = async () => {
    reads += 1;
    await reload();
  };
  const unknown = `gh-${'x'.repeat(43)}`;
  await here.findUncached([unknown]);
  const { key } = await (await open()).add('Editor');
  const looks = Array.from({ length: 50 }, async () => await here.findUncached([unknown]));
  expect((await here.findUncached([key]))?.client.name).toBe('Editor');
  expect((await Promise.all(looks)).every((found) => found === null)).toBe(true);
  expect(reads).toBe(2);
});

test('what does not look like a local key is not looked for again', async () => {
  const here = await open();
  await store.close();
  expect(await here.findUncached(['sk-something', '', 'gh-short'])).toBeNull();
  await expect(here.findUncached([`gh-${'x'.repeat(43)}`])).rejects.toThrow();
});

test('the first client is made once, and never again after it was revoked', async () => {
  const clients = await open();
  const first = await clients.addFirst();
  expect(first?.client.name).toBe('First client');
  await clients.revoke(first?.client.id ?? '');
  expect(await clients.addFirst()).toBeNull();
});

test('the fixed local key is a client that is not kept', async () => {
  const key = 'a-fixed-key-of-the-environment';
  const clients = await open({ fixedLocalKey: key });
  expect(clients.find([key])?.client.name).toBe('Environment');
  expect(await clients.list()).toMatchObject([{ id: 'environment', kind: 'environment' }]);
  expect(await (await open()).list()).toEqual([]);
  expect(clients.secrets()).toEqual([key]);
  expect((await open()).secrets()).toEqual([]);
  expect((await open()).find([key])).toBeNull();
  await expect(clients.revoke('Environment')).rejects.toThrow('environment');
});

test.each(['', 'short', 'fifteen-letters', 'sixteen letters with spaces'])(
  'the fixed local key %j is too weak',
  async (fixedLocalKey) => {
    await expect(open({ fixedLocalKey })).rejects.toThrow(InvalidLocalKeyError);
  },
);

test.each([
  'password-password-password',
  '123456789012345678901234',
  '987654321098765432109876',
  'abcdefghijklmnopqrstuvwxyz',
  'zyxwvutsrqponmlkjihgfedcba',
  'abcdefgh12345678ABCDEFGH',
  'aaabbbcccdddeeefffggghhh',
  'k9f2mQz7Lp1xk9f2mQz7Lp1xk9f2',
])('the fixed local key %j is too easy to guess', async (fixedLocalKey) => {
  await expect(open({ fixedLocalKey })).rejects.toThrow('too easy to guess');
});

test('random keys are not too easy to guess', async () => {
  for (let at = 0; at < 100; at += 1) {
    const bytes = randomBytes(24);
    for (const encoding of ['hex', 'base64'] as const) {
      const fixedLocalKey = bytes.toString(encoding);
      expect((await open({ fixedLocalKey })).secrets()).toEqual([fixedLocalKey]);
    }
  }
});

test('a name of control characters, none or too many letters is refused', async () => {
  const clients = await open();
  for (const name of ['', '  ', 'a\nb', 'x'.repeat(65)]) {
    await expect(clients.add(name)).rejects.toThrow(ClientError);
  }
});

test('the list tells what each client did', async () => {
  const clients = await open();
  const { client } = await clients.add('Editor');
  await clients.add('Idle');
  const usage = { ...UNKNOWN_USAGE, input: 12, output: 5, source: 'reported' };
  const absurd = { ...usage, input: Number.MAX_SAFE_INTEGER };
  const history = openHistory({
    store,
    now: Date.now,
    redact: String,
    log: noLog,
    getRetention: null,
  });
  for (const id of ['a1', 'a2']) history.record(anExchange(id, { clientId: null, usage: absurd }));
  const startedAt = 1_700_000_500_000;
  history.record(anExchange('x1', { clientId: client.id, startedAt, usage }));
  await history.close();
  expect(await clients.list()).toMatchObject([
    {
      name: 'Editor',
      exchanges: 1,
      inputTokens: 12,
      outputTokens: 5,
      lastUsedAt: 1_700_000_500_000,
    },
    { name: 'Idle', exchanges: 0, inputTokens: 0, outputTokens: 0, lastUsedAt: null },
  ]);
});

function noLog(): void {}

test('another name is unique, keeps the key, and is told to whoever listens', async () => {
  const clients = await open();
  const { client, key } = await clients.add('Editor');
  await clients.add('Agent');
  let reported = 0;
  clients.on(() => (reported += 1));
  await clients.rename(client.id, ' My editor ');
  expect(clients.find([key])?.client).toMatchObject({ id: client.id, name: 'My editor' });
  expect(reported).toBe(1);
  await clients.rename(client.id, 'MY EDITOR');
  await expect(clients.rename(client.id, 'agent')).rejects.toThrow('already');
  await expect(clients.rename(client.id, 'two\nlines')).rejects.toThrow('one line');
  await expect(clients.rename('nobody', 'Name')).rejects.toHaveProperty('name', 'NotFoundError');
});

test('another key ends the one before, and a revoked client gets none', async () => {
  const clients = await open();
  const { client, key } = await clients.add('Editor');
  const renewed = await clients.renew(client.id, null);
  expect(renewed.client).toEqual(client);
  expect([clients.find([key]), clients.find([renewed.key])?.client.id]).toEqual([null, client.id]);
  await clients.revoke(client.id);
  await expect(clients.renew(client.id, null)).rejects.toThrow('revoked');
  await expect(clients.rename(client.id, 'Other')).rejects.toThrow('revoked');
});

test.each([
  ['window', 'Window'],
  ['chat', 'Chat'],
  ['terminal', 'Terminal'],
  ['replay', 'Replay'],
] as const)('the %s is a client with a key of its own that is kept nowhere', async (kind, name) => {
  const clients = await open();
  const keyIn = (one: Clients) => one.ownKey(kind);
  const key = keyIn(clients);
  expect(keyIn(clients)).toBe(key);
  expect(clients.find([key])?.client).toMatchObject({ id: kind, name });
  expect(await clients.list()).toMatchObject([{ id: kind, kind }]);
  await expect(clients.revoke(name)).rejects.toThrow('at every start');
  await expect(clients.renew(kind, null)).rejects.toThrow('at every start');
  expect((await open()).find([key])).toBeNull();
});
