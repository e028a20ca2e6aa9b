import { readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { parse } from 'jsonc-parser';
import { expect, test } from 'vitest';
import { PROGRAM_IDS } from '../../../shared/connect/connection.ts';
import type { Clients } from '../../../gateway/clients/clients.ts';
import { openUserHome } from '../../kit/connections-home.ts';

const CHOICE = { program: 'claude-code', model: 'zai-org/glm-5' } as const;

async function listActive(clients: Clients) {
  await clients.reload();
  return (await clients.list()).filter(
    ({ kind, revokedAt }) => kind === 'stored' && revokedAt === null,
  );
}

test('a client of the same name that was never used is taken over with a new key', async () => {
  await using user = await openUserHome();
  const expiresAt = Date.now() + 86_400_000;
  const byHand = await user.clients.add('claude code', expiresAt);
  const made = await user.connections.connect(CHOICE, null);
  expect(made.client).toEqual({ id: byHand.client.id, name: 'claude code' });
  expect(await listActive(user.clients)).toMatchObject([{ id: byHand.client.id, expiresAt }]);
  expect(user.clients.find([byHand.key])).toBeNull();
  expect(user.clients.findRetired([byHand.key])).not.toBeNull();
  expect(user.clients.find([made.key ?? ''])?.client.id).toBe(byHand.client.id);
});

test('a client that was taken over and whose key had expired gets one without an end', async () => {
  await using user = await openUserHome();
  const { client } = await user.clients.add('Claude Code', Date.now() + 86_400_000);
  user.wait(2 * 86_400_000);
  const made = await user.connections.connect(CHOICE, null);
  expect(made.client.id).toBe(client.id);
  expect(user.clients.find([made.key ?? ''])?.client).toMatchObject({
    expired: false,
    expiresAt: null,
  });
});

test('a client that was used, or whose exchanges were deleted since, gets one more key, which undoing ends', async () => {
  for (const table of ['exchange_sum', 'spend'] as const) {
    await using user = await openUserHome();
    const { client, key: byHand } = await user.clients.add('Claude Code');
    await user.countRequest(client.id, table);
    await user.clients.setModels(client.id, ['zai-org/*']);
    const preview = await user.connections.preview(CHOICE);
    expect(preview.notes[0]).toContain('the client “Claude Code” that you have');
    const made = await user.connections.connect(CHOICE, preview.token);
    expect(made.client.id).toBe(client.id);
    expect(made.key).not.toBe(byHand);
    for (const key of [byHand, made.key ?? ''])
      expect(user.clients.find([key])?.client.models).toEqual(['zai-org/*']);
    await user.connections.disconnect('claude-code', null);
    expect(user.clients.find([made.key ?? ''])).toBeNull();
    expect(user.clients.findRetired([made.key ?? ''])?.cause).toBe('ended');
    expect(user.clients.find([byHand])?.client.id).toBe(client.id);
  }
});

test('a client stays with what was set for it when its program is disconnected, and is used again', async () => {
  await using user = await openUserHome();
  const first = await user.connections.connect(CHOICE, null);
  await user.countRequest(first.client.id, 'exchange_sum');
  await user.clients.setModels(first.client.id, ['zai-org/*']);
  await user.connections.disconnect('claude-code', null);
  expect(user.clients.find([first.key ?? ''])).toBeNull();
  expect(user.clients.findRetired([first.key ?? ''])?.cause).toBe('ended');
  expect(await listActive(user.clients)).toMatchObject([{ onlyTemporaryKeys: true }]);
  const second = await user.connections.connect(CHOICE, null);
  expect(second.client).toEqual(first.client);
  expect(await listActive(user.clients)).toMatchObject([
    { id: first.client.id, onlyTemporaryKeys: false, models: ['zai-org/*'] },
  ]);
});

test('the client of a program that run has started is connected, and undoing leaves the key of that start', async () => {
  await using user = await openUserHome();
  const started = await user.clients.addTemporaryKey('Claude Code', 60_000);
  await user.countRequest(started.client.id, 'exchange_sum');
  const made = await user.connections.connect(CHOICE, null);
  expect(made.client.id).toBe(started.client.id);
  await user.connections.disconnect('claude-code', null);
  expect(user.clients.find([made.key ?? ''])).toBeNull();
  expect(user.clients.find([started.key])?.client.id).toBe(started.client.id);
});

test('a new key of a client ends that of its connection, and undoing leaves the new one', async () => {
  await using user = await openUserHome();
  const { client } = await user.clients.add('Claude Code');
  await user.countRequest(client.id, 'spend');
  const made = await user.connections.connect(CHOICE, null);
  const renewed = await user.clients.renew(client.id, null);
  expect(user.clients.find([made.key ?? ''])).toBeNull();
  const again = await user.connections.connect(CHOICE, null);
  expect(again.client.id).toBe(client.id);
  await user.connections.disconnect('claude-code', null);
  expect(user.clients.find([again.key ?? ''])).toBeNull();
  expect(user.clients.find([renewed.key])?.client.id).toBe(client.id);
});

test('undoing a connection of an earlier version ends the own key of its client', async () => {
  await using user = await openUserHome();
  const { client, key } = await user.connections.connect(CHOICE, null);
  const file = join(user.dataDir, 'connections', 'claude-code', 'connection.json');
  const { keyHash: _, ...earlier } = parse(await readFile(file, 'utf8'));
  await writeFile(file, JSON.stringify(earlier));
  await user.connections.disconnect('claude-code', null);
  expect(user.clients.find([key ?? ''])).toBeNull();
  expect(await listActive(user.clients)).toMatchObject([
    { id: client.id, onlyTemporaryKeys: true },
  ]);
});

test('the key of a connection that cannot be written ends, and a client that was added for it is revoked', async () => {
  for (const isPresent of [true, false]) {
    await using user = await openUserHome();
    // Nobody can create a file there.
    await symlink('/proc', join(user.home, '.claude'));
    if (isPresent) await user.clients.add('Claude Code');
    await expect(user.connections.connect(CHOICE, null)).rejects.toThrow();
    await user.clients.reload();
    expect(await listActive(user.clients)).toMatchObject(
      isPresent ? [{ onlyTemporaryKeys: true }] : [],
    );
  }
});

test('a client of another connection keeps its key', async () => {
  await using user = await openUserHome();
  const goose = await user.connections.connect({ ...CHOICE, program: 'goose' }, null);
  await user.clients.rename(goose.client.id, 'Claude Code');
  const made = await user.connections.connect(CHOICE, null);
  expect(made.client.name).toBe('Claude Code 2');
  expect(user.clients.find([goose.key ?? ''])?.client.id).toBe(goose.client.id);
});

test('no two programs that are connected at the same moment share a client', async () => {
  // The settings of LibreChat have no fixed place.
  const programs = PROGRAM_IDS.filter((id) => id !== 'librechat');
  const some = fc.uniqueArray(fc.constantFrom(...programs), { minLength: 2, maxLength: 3 });
  const names = fc.subarray(['Claude Code', 'codex', 'Goose', 'Zed', 'Crush', 'aider']);
  await fc.assert(
    fc.asyncProperty(some, names, async (chosen, present) => {
      await using user = await openUserHome();
      for (const name of present) await user.clients.add(name);
      const twice = [...chosen, ...chosen];
      const all = await Promise.all(
        twice.map(async (program) => ({ program, connections: await user.open() })),
      );
      const made = await Promise.all(
        all.map(({ program, connections }) =>
          connections.connect({ program, model: 'zai-org/glm-5' }, null),
        ),
      );
      const pairs = new Set(made.map(({ program, client }) => `${program} ${client.id}`));
      expect(pairs.size).toBe(chosen.length);
      expect(new Set(made.map(({ client }) => client.id)).size).toBe(chosen.length);
      const active = await listActive(user.clients);
      expect(active.filter(({ name }) => name.endsWith(' 2'))).toEqual([]);
      for (const program of chosen) {
        const { key } = await user.connections.diagnose(program);
        expect(key.state).toBe(program === 'zed' ? 'absent' : 'valid');
      }
    }),
    { numRuns: 6 },
  );
});
