import * as fc from 'fast-check';
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

test('a client that was used, or whose exchanges were deleted since, keeps its key', async () => {
  for (const table of ['exchange_sum', 'spend'] as const) {
    await using user = await openUserHome();
    const used = await user.clients.add('Claude Code');
    await user.countRequest(used.client.id, table);
    const made = await user.connections.connect(CHOICE, null);
    expect(made.client.name).toBe('Claude Code 2');
    expect(user.clients.find([used.key])?.client.id).toBe(used.client.id);
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
