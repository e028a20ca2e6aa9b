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

test('a client that has expired is not connected, and no key of it works again', async () => {
  await using user = await openUserHome();
  const { client, key } = await user.clients.add('Claude Code', Date.now() + 86_400_000);
  user.wait(2 * 86_400_000);
  await expect(user.connections.preview(CHOICE)).rejects.toThrow('has expired');
  await expect(user.connections.connect(CHOICE, null)).rejects.toThrow('Change its expiry first');
  expect(user.clients.find([key])?.client).toMatchObject({ id: client.id, expired: true });
  await user.clients.setExpiry(client.id, null);
  expect((await user.connections.connect(CHOICE, null)).client.id).toBe(client.id);
});

test('a client with a key of its own gets one more, which undoing ends', async () => {
  await using user = await openUserHome();
  const { client, key: byHand } = await user.clients.add('Claude Code');
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
});

test('a client stays with what was set for it when its program is disconnected, and is used again', async () => {
  await using user = await openUserHome();
  const first = await user.connections.connect(CHOICE, null);
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
  const made = await user.connections.connect(CHOICE, null);
  expect(made.client.id).toBe(started.client.id);
  await user.connections.disconnect('claude-code', null);
  expect(user.clients.find([made.key ?? ''])).toBeNull();
  expect(user.clients.find([started.key])?.client.id).toBe(started.client.id);
});

test('a model that the client may not use is named before it is connected', async () => {
  await using user = await openUserHome();
  const { client } = await user.clients.add('Claude Code');
  await user.clients.setModels(client.id, ['other/*']);
  const { notes } = await user.connections.preview(CHOICE);
  expect(notes).toContain('The client “Claude Code” may not use the model zai-org/glm-5.');
});

test('a program counts for the client of its connection, whatever its name is', async () => {
  await using user = await openUserHome();
  expect(await user.connections.findClientName('claude-code')).toBe('Claude Code');
  const { client } = await user.connections.connect(CHOICE, null);
  await user.clients.rename(client.id, 'Work');
  expect(await user.connections.findClientName('claude-code')).toBe('Work');
  const again = await user.connections.connect(CHOICE, null);
  expect(again.client).toEqual({ id: client.id, name: 'Work' });
  const codex = await user.connections.connect({ ...CHOICE, program: 'codex' }, null);
  await user.connections.disconnect('claude-code', null);
  await user.clients.revoke(client.id);
  await user.clients.rename(codex.client.id, 'Claude Code');
  expect(await user.connections.findClientName('claude-code')).toBe('Claude Code 2');
  expect((await user.connections.preview(CHOICE)).notes[0]).toContain('“Claude Code 2” is added');
});

test('a program whose key is entered by hand gets another when that has ended', async () => {
  await using user = await openUserHome();
  const zed = { ...CHOICE, program: 'zed' } as const;
  const first = await user.connections.connect(zed, null);
  expect(await user.connections.connect(zed, null)).toMatchObject({ keyToEnter: null });
  await user.clients.renew(first.client.id, null);
  const second = await user.connections.connect(zed, null);
  expect(user.clients.find([second.keyToEnter ?? ''])?.client.id).toBe(first.client.id);
  await user.connections.disconnect('zed', null);
  expect(user.clients.find([second.keyToEnter ?? ''])).toBeNull();
});

test('a key of the client that a person wrote into the settings ends with the connection', async () => {
  await using user = await openUserHome();
  const { client, key } = await user.connections.connect(CHOICE, null);
  const byHand = await user.clients.renew(client.id, null);
  const file = join(user.home, '.claude/settings.json');
  await writeFile(file, (await readFile(file, 'utf8')).replace(key ?? '', byHand.key));
  expect((await user.connections.connect(CHOICE, null)).key).toBe(byHand.key);
  await user.connections.disconnect('claude-code', null);
  expect(user.clients.find([byHand.key])).toBeNull();
});

test('200 keys of starts do not keep a program from being connected', async () => {
  await using user = await openUserHome();
  for (let count = 0; count < 200; count += 1)
    await user.clients.addTemporaryKey('Claude Code', 86_400_000);
  expect((await user.connections.connect(CHOICE, null)).client.name).toBe('Claude Code');
});

test('a new key of a client ends that of its connection, and undoing leaves the new one', async () => {
  await using user = await openUserHome();
  const { client } = await user.clients.add('Claude Code');
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

test.runIf(process.platform === 'linux')(
  'the key of a connection that cannot be written ends, and a client that was added for it is revoked',
  async () => {
    for (const isPresent of [true, false]) {
      await using user = await openUserHome();
      // Nobody can create a file there.
      await symlink('/proc', join(user.home, '.claude'));
      const byHand = isPresent ? await user.clients.add('Claude Code') : null;
      await expect(user.connections.connect(CHOICE, null)).rejects.toThrow();
      await user.clients.reload();
      expect(await listActive(user.clients)).toHaveLength(isPresent ? 1 : 0);
      if (byHand !== null) expect(user.clients.find([byHand.key])).not.toBeNull();
    }
  },
);

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

test('a client that was added or limited after the preview is shown before it is joined', async () => {
  await using user = await openUserHome();
  const first = await user.connections.preview(CHOICE);
  const { client } = await user.clients.add('Claude Code');
  await expect(user.connections.connect(CHOICE, first.token)).rejects.toThrow('the client');
  const second = await user.connections.preview(CHOICE);
  await user.clients.setModels(client.id, ['other/*']);
  await expect(user.connections.connect(CHOICE, second.token)).rejects.toThrow('the client');
  const third = await user.connections.preview(CHOICE);
  expect((await user.connections.connect(CHOICE, third.token)).client.id).toBe(client.id);
});

test('a client that a start adds while its program is connected is joined', async () => {
  await using user = await openUserHome();
  const { clients } = user;
  const add = clients.add.bind(clients);
  let attempts = 0;
  // The start comes between the look for the name and the addition.
  clients.add = async (...client) => {
    attempts += 1;
    await clients.addTemporaryKey('Claude Code', 60_000);
    return await add(...client);
  };
  const made = await user.connections.connect(CHOICE, null);
  expect([attempts, made.client.name]).toEqual([1, 'Claude Code']);
  expect(await listActive(clients)).toHaveLength(1);
});
