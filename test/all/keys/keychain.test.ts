import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createKeychain } from '../../../cli/process/keychain.ts';
import { openKeys, type Keys } from '../../../gateway/keys/keys.ts';
import { createFakeKeychain } from '../../kit/gateway/fake-keychain.ts';
import { startHarness } from '../../kit/gateway/harness.ts';
import { openTestMachine } from '../../kit/process/test-machine.ts';
import { KEYRING_INSTALLED, openSession, type Session } from '../../kit/process/keyring.ts';

const KEY = 'sk-live-0123456789-abcdefghijklmnop';
const ACCOUNT = 'https://models.example.com';
/** A keychain of a machine that is busy may answer late. */
const PATIENT = { readMs: 30_000, writeMs: 30_000, recheckMs: 50 };

const openIn = async ({ environment }: Pick<Session, 'environment'>, account = ACCOUNT) =>
  await openKeys({
    secrets: createKeychain(environment),
    account,
    log: () => undefined,
    timeouts: PATIENT,
  });

if (!KEYRING_INSTALLED) {
  console.warn(
    'SKIPPED: no real keychain here. Install gnome-keyring and dbus to run these tests.',
  );
}

describe.skipIf(!KEYRING_INSTALLED)('with a real keychain', () => {
  test('a key is kept for one service, survives a restart of the keychain, and is forgotten', async () => {
    await using session = await openSession();
    await session.startKeyring('unlocked');
    const keys = await openIn(session);
    expect(keys.state().name).toBe('missing');
    expect(await keys.save(` Bearer ${KEY}\n`, 'keychain')).toEqual({ done: true });
    expect([keys.state().name, keys.current()]).toEqual(['keychain', KEY]);
    expect((await openIn(session, 'https://other.example.com')).state().name).toBe('missing');

    await session.stopKeyring();
    await session.startKeyring('unlocked');
    const later = await openIn(session);
    expect(later.current()).toBe(KEY);

    expect(await later.forget()).toEqual({ done: true });
    expect([later.state().name, later.current()]).toEqual(['missing', null]);
    expect((await openIn(session)).state().name).toBe('missing');
  });

  test('the longest key goes in and comes back', async () => {
    await using session = await openSession();
    await session.startKeyring('unlocked');
    const longest = 'k'.repeat(1_280);
    await (await openIn(session)).save(longest, 'keychain');
    expect((await openIn(session)).current()).toBe(longest);
  });

  test('no file of the home holds the key in clear', async () => {
    await using session = await openSession();
    await session.startKeyring('unlocked');
    await (await openIn(session)).save(KEY, 'keychain');
    const files = await readdir(session.home, { recursive: true, withFileTypes: true });
    const kept = files.filter((file) => file.isFile());
    expect(kept.some(({ name }) => name === 'login.keyring')).toBe(true);
    for (const { parentPath, name } of kept) {
      expect((await readFile(join(parentPath, name))).includes(KEY)).toBe(false);
    }
  });

  test('a locked keychain is told as locked, and its key is picked up when it is unlocked', async () => {
    await using session = await openSession();
    await session.startKeyring('unlocked');
    await (await openIn(session)).save(KEY, 'keychain');
    await session.stopKeyring();
    await session.startKeyring('locked');

    const keys = await openIn(session);
    expect([keys.state().name, keys.current()]).toEqual(['locked', null]);
    expect(keys.state().sentence).toMatch(/locked/u);

    await session.unlock();
    await pickedUp(keys);
    expect([keys.state().name, keys.current()]).toEqual(['keychain', KEY]);
  });

  test('a command does not wait for a keychain that never answers, and leaves nothing behind', async () => {
    await using session = await openSession();
    await session.startKeyring('unlocked');
    await (await openIn(session)).save(KEY, 'keychain');
    session.freezeKeyring();
    await using terminal = await openTestMachine();
    const status = await terminal.run(['key', 'status', '--upstream', ACCOUNT, '--json'], {
      environment: session.environment,
    });
    expect(status.code).toBe(1);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: 'locked' });
    await expect.poll(async () => await programsIn(session)).toEqual([]);
  });

  test('a session without a keychain says so and offers no place in the kernel instead', async () => {
    await using session = await openSession();
    const keys = await openIn(session);
    expect(keys.state()).toMatchObject({ name: 'unavailable' });
    expect(keys.state().sentence).toContain('No keychain runs in this session');
    expect(await keys.save(KEY, 'keychain')).toMatchObject({ done: false });
    expect(keys.current()).toBeNull();
  });
});

test.runIf(process.platform === 'linux')(
  'without a desktop session no keychain can be looked into, so nothing is said to be forgotten',
  async () => {
    const keys = await openIn({ environment: { PATH: process.env['PATH'] } });
    expect(keys.state().name).toBe('unavailable');
    expect(keys.state().sentence).toContain('no desktop session');
    expect(await keys.save(KEY, 'keychain')).toMatchObject({ done: false });
    expect(await keys.forget()).toEqual({
      done: false,
      reason: expect.stringMatching(/could not read the keychain.*may still be there/u),
    });
  },
);

/** Lists the Node.js programs that run in this session. */
async function programsIn({ environment }: Session): Promise<readonly string[]> {
  const bus = `DBUS_SESSION_BUS_ADDRESS=${environment['DBUS_SESSION_BUS_ADDRESS']}`;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/u.test(name));
  const found = pids.map(async (pid) => {
    // Processes may end during the search.
    const [variables, command] = await Promise.all(
      ['environ', 'cmdline'].map(
        async (file) => await readFile(join('/proc', pid, file), 'utf8').catch(() => ''),
      ),
    );
    return variables?.includes(bus) === true && command?.includes('node') === true ? [command] : [];
  });
  return (await Promise.all(found)).flat();
}

/** Resolves when the keys have found their key; the test's own timeout is the limit. */
async function pickedUp(keys: Keys): Promise<void> {
  while (keys.current() === null) await pause(20);
  keys.close();
}

test('the doctor of the window does not claim a keychain that has not answered', async () => {
  const secrets = { ...createFakeKeychain(), read: () => new Promise<never>(() => {}) };
  await using harness = await startHarness({ baseUrl: null, secrets });
  const { groups } = await (await harness.gateway.doctor()).run('gatehouse');
  const findings = groups.flatMap((group) => group.findings);
  expect(findings.find(({ check }) => check === 'keychain')).toMatchObject({
    sentence: 'The keychain has not answered yet: it may wait for you to unlock it.',
  });
});
