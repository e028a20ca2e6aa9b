import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openClients } from '../../../gateway/clients/clients.ts';
import { openStore } from '../../../gateway/store/store.ts';

async function openKeys() {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-keys-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const store = await openStore(join(folder, 'gatehouse.db'));
  opened.defer(() => store.close());
  const clock = { now: 1_700_000_000_000 };
  const open = async () =>
    await openClients({ store, now: () => clock.now, randomBytes, log: () => undefined });
  const rest = opened.move();
  return { clock, open, clients: await open(), [Symbol.asyncDispose]: () => rest.disposeAsync() };
}

test('a temporary key is one more of its client, until it is removed', async () => {
  await using keys = await openKeys();
  const { clients } = keys;
  const own = await clients.add('Editor');
  const [one, two] = await Promise.all([
    clients.addTemporaryKey('editor', 1_000),
    clients.addTemporaryKey('Editor', 1_000),
  ]);
  for (const key of [own.key, one.key, two.key]) {
    expect(clients.find([key])?.client.id).toBe(own.client.id);
  }
  await clients.removeTemporaryKey(one.key);
  expect(clients.find([one.key])).toBeNull();
  expect((await keys.open()).find([two.key])?.client.id).toBe(own.client.id);
  expect(clients.findRetired([one.key])).toMatchObject({ at: keys.clock.now, cause: 'ended' });
  expect(clients.findRetired([two.key])).toBeNull();
  await clients.revoke('Editor');
  expect(clients.find([two.key])).toBeNull();
  for (const key of [one.key, two.key]) {
    expect(clients.findRetired([key])).toMatchObject({
      cause: 'revoked',
      client: { id: own.client.id },
    });
  }
});

test('a temporary key says which project its program works on', async () => {
  await using keys = await openKeys();
  const { clients } = keys;
  const { key } = await clients.addTemporaryKey(
    'Editor (run)',
    1_000,
    'git@example.com:a/shop.git',
  );
  const other = await clients.addTemporaryKey('Editor (run)', 1_000);
  for (const process of [clients, await keys.open()]) {
    expect(process.find([key])?.project).toBe('git@example.com:a/shop.git');
    expect(process.find([other.key])?.project).toBeNull();
  }
});

test('a client that was added for a temporary key has no other, until it gets one', async () => {
  await using keys = await openKeys();
  const { clients } = keys;
  const own = await clients.add('Editor');
  await clients.addTemporaryKey('Editor', 1_000);
  const { client } = await clients.addTemporaryKey('Script (run)', 1_000);
  const listOnlyTemporary = async () =>
    (await clients.list()).flatMap(({ id, onlyTemporaryKeys }) => (onlyTemporaryKeys ? [id] : []));
  expect([own.client.onlyTemporaryKeys, client.onlyTemporaryKeys]).toEqual([false, true]);
  expect(await listOnlyTemporary()).toEqual([client.id]);
  const renewed = await clients.renew(client.id, null);
  expect(renewed.client.onlyTemporaryKeys).toBe(false);
  expect(await listOnlyTemporary()).toEqual([]);
});

test('processes that start the first program of a client at the same moment share it', async () => {
  await using keys = await openKeys();
  const others = await Promise.all([keys.open(), keys.open(), keys.open()]);
  const made = await Promise.all(others.map((one) => one.addTemporaryKey('Script (run)', 1_000)));
  expect(new Set(made.map(({ client }) => client.id)).size).toBe(1);
  expect(new Set(made.map(({ key }) => key)).size).toBe(3);
});

test('a key that has ended stays ended when the clock is set back', async () => {
  await using keys = await openKeys();
  const { clients, clock } = keys;
  const { key } = await clients.addTemporaryKey('Script', 1_000);
  const endsAt = clock.now + 1_000;
  clock.now += 999;
  expect(clients.find([key])).not.toBeNull();
  clock.now += 1;
  expect(clients.find([key])).toBeNull();
  clock.now -= 500;
  expect(clients.find([key])).toBeNull();
  await clients.reload();
  expect(clients.find([key])).toBeNull();
  expect(clients.findRetired([key])).toMatchObject({ at: endsAt, cause: 'ended' });
});

test('a client has at most 200 of them', async () => {
  await using keys = await openKeys();
  const { clients } = keys;
  await clients.addTemporaryKey('Script', 60_000);
  const all = await Promise.allSettled(
    Array.from({ length: 205 }, async () => await clients.addTemporaryKey('Script', 60_000)),
  );
  expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(199);
});

test('the latest 200 that have ended are recognised, and leave room for others', async () => {
  await using keys = await openKeys();
  const { clients, clock } = keys;
  const ended: string[] = [];
  while (ended.length < 203) {
    const { key } = await clients.addTemporaryKey('Script', 60_000);
    clock.now += 1;
    await clients.removeTemporaryKey(key);
    ended.push(key);
  }
  await clients.addTemporaryKey('Script', 60_000);
  const recognised = ended.filter((key) => clients.findRetired([key]) !== null);
  expect(recognised).toEqual(ended.slice(3));
});

test('the clients of programs that run and env added before get the names of the programs', async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-keys-'));
  opened.defer(() => rm(folder, { recursive: true }));
  const file = join(folder, 'gatehouse.db');
  const options = { now: () => 1_700_000_000_000, randomBytes, log: () => undefined };
  const names = ['Claude Code (run)', 'Claude Code (env)', 'codex', 'Codex (run)', 'Script (run)'];
  const before = await openStore(file);
  const clients = await openClients({ ...options, store: before });
  for (const name of names) await clients.addTemporaryKey(name, 1_000);
  // A person chose this name.
  await clients.add('Goose (run)');
  await sql`delete from kysely_migration where name >= '0032'`.execute(before.db);
  for (const table of ['exchange_sum', 'exchange_usage'])
    await sql`alter table ${sql.table(table)} drop column refused`.execute(before.db);
  await sql`drop table exchange_tool`.execute(before.db);
  await sql`alter table upstream drop column asks_cache_reason`.execute(before.db);
  await before.close();
  const store = await openStore(file);
  opened.defer(() => store.close());
  const after = await (await openClients({ ...options, store })).list();
  expect(after.map(({ name }) => name)).toEqual([
    'Claude Code',
    'Claude Code (env)',
    'codex',
    'Codex (run)',
    'Script (run)',
    'Goose (run)',
  ]);
});
