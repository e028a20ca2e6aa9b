import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { SecretRead, SecretStore, SecretWrite } from '../host.ts';
import { openKeys, InvalidKeyError, type KeysOptions } from './keys.ts';

const ACCOUNT = 'https://models.example.com';
const KEY = 'sk-live-0123456789';

/** Creates a keychain in memory. While `prompting` it answers nothing, like a real one while its prompt is on screen. */
function openVault() {
  const stored = new Map<string, string>();
  const waiting: (() => void)[] = [];
  let running = 0;
  const vault = {
    prompting: false,
    maxConcurrent: 0,
    stored,
    answerPrompt() {
      vault.prompting = false;
      waiting.splice(0).forEach((go) => go());
    },
  };
  async function turn<Value>(work: () => Value): Promise<Value> {
    running += 1;
    vault.maxConcurrent = Math.max(vault.maxConcurrent, running);
    if (vault.prompting) {
      await new Promise<void>((resolve) => waiting.push(resolve));
    }
    running -= 1;
    return work();
  }
  const done: SecretWrite = { state: 'done' };
  const store: SecretStore = {
    read: async (account) =>
      await turn((): SecretRead => {
        const secret = stored.get(account);
        return secret === undefined ? { state: 'absent' } : { state: 'found', secret };
      }),
    write: async (account, secret) => await turn(() => (stored.set(account, secret), done)),
    remove: async (account) => await turn(() => (stored.delete(account), done)),
  };
  return { ...vault, vault, store };
}

const open = async (secrets: SecretStore, more: Partial<KeysOptions> = {}) =>
  await openKeys({
    secrets,
    account: ACCOUNT,
    log: () => undefined,
    timeouts: { readMs: 20, writeMs: 20, recheckMs: 20 },
    ...more,
  });

test('a key of this run takes precedence over the environment, the file and the keychain, in this order', async () => {
  const keychain = openVault();
  const file = openVault();
  keychain.stored.set(ACCOUNT, 'from-keychain');
  const inKeychain = await open(keychain.store);
  expect([inKeychain.state().name, inKeychain.current()]).toEqual(['keychain', 'from-keychain']);
  file.stored.set(ACCOUNT, 'from-file');
  const inFile = await open(keychain.store, { fileStore: file.store });
  expect([inFile.state().name, inFile.current()]).toEqual(['file', 'from-file']);
  const given = { fileStore: file.store, environmentKey: 'from-environment' };
  const inEnvironment = await open(keychain.store, given);
  expect([inEnvironment.state().name, inEnvironment.current()]).toEqual([
    'environment',
    'from-environment',
  ]);
  const thisRun = await open(keychain.store, { ...given, thisRunKey: 'from-this-run' });
  expect([thisRun.state().name, thisRun.current()]).toEqual(['this-run', 'from-this-run']);
});

test('a key stored for one service is never used for another', async () => {
  const { store, stored } = openVault();
  stored.set('https://other.example.com', KEY);
  const keys = await open(store);
  expect([keys.state().name, keys.current()]).toEqual(['missing', null]);
});

test('a keychain with a prompt does not delay the start, and its key arrives after the answer', async () => {
  const { store, vault } = openVault();
  vault.stored.set(ACCOUNT, KEY);
  vault.prompting = true;
  const keys = await open(store);
  expect([keys.state().name, keys.current()]).toEqual(['locked', null]);
  vault.answerPrompt();
  await expect.poll(() => keys.current()).toBe(KEY);
  expect(keys.state().name).toBe('keychain');
});

test('no second keychain call is made while one waits for a person', async () => {
  const { store, vault } = openVault();
  vault.prompting = true;
  const keys = await open(store);
  const change = await keys.save(KEY, 'keychain');
  expect(change).toMatchObject({ done: false });
  await keys.reload();
  expect(vault.maxConcurrent).toBe(1);
  vault.answerPrompt();
  expect(await keys.save(KEY, 'keychain')).toEqual({ done: true });
  expect(vault.stored.get(ACCOUNT)).toBe(KEY);
});

test('saving in the keychain removes the copy in plain text', async () => {
  const keychain = openVault();
  const file = openVault();
  const keys = await open(keychain.store, { fileStore: file.store });
  expect(await keys.save(KEY, 'file')).toEqual({ done: true });
  expect([keys.state().name, file.stored.size]).toEqual(['file', 1]);
  expect(await keys.save(KEY, 'keychain')).toEqual({ done: true });
  expect([keys.state().name, file.stored.size]).toEqual(['keychain', 0]);
});

const PATIENT = { readMs: 30_000, writeMs: 30_000, recheckMs: 30_000 };

test('simultaneous changes are made one after the other, across keychain and file', async () => {
  const keychain = openVault();
  const file = openVault();
  const keys = await open(keychain.store, { fileStore: file.store, timeouts: PATIENT });
  expect(await keys.save('sk-live-first', 'file')).toEqual({ done: true });
  const changes = [keys.forget(), keys.save('sk-live-second', 'file')];
  expect(await Promise.all(changes)).toEqual([{ done: true }, { done: true }]);
  expect([[...file.stored.values()], [...keychain.stored.values()]]).toEqual([
    ['sk-live-second'],
    [],
  ]);
  expect([keys.state().name, keys.current()]).toEqual(['file', 'sk-live-second']);
});

test('a read that started before a change does not undo it', async () => {
  const keychain = openVault();
  const file = openVault();
  const keys = await open(keychain.store, { fileStore: file.store, timeouts: PATIENT });
  file.vault.prompting = true;
  const look = keys.reload();
  file.vault.prompting = false;
  expect(await keys.save(KEY, 'file')).toEqual({ done: true });
  file.stored.clear();
  file.vault.answerPrompt();
  await look;
  expect([keys.state().name, keys.current()]).toEqual(['file', KEY]);
});

test('forgetting removes every stored key but not that of the environment', async () => {
  const keychain = openVault();
  const file = openVault();
  keychain.stored.set(ACCOUNT, KEY);
  file.stored.set(ACCOUNT, KEY);
  const keys = await open(keychain.store, {
    fileStore: file.store,
    environmentKey: 'from-outside',
  });
  expect(await keys.forget()).toEqual({ done: true });
  expect([keychain.stored.size, file.stored.size]).toEqual([0, 0]);
  expect(keys.current()).toBe('from-outside');
});

test('forgetting reports that an unreadable keychain may still hold the key', async () => {
  const { store } = openVault();
  const unavailable = { state: 'unavailable', reason: 'No session.' } as const;
  const file = openVault();
  const secrets = {
    ...store,
    read: async () => await Promise.resolve(unavailable),
    remove: async () => await Promise.resolve(unavailable),
  };
  const keys = await open(secrets, { fileStore: file.store });
  const words = expect.stringMatching(/may still be there\. No session\.$/u);
  expect(await keys.forget()).toMatchObject({ done: false, reason: words });
  file.stored.set(ACCOUNT, KEY);
  // The key in the file is certainly gone, so the removal succeeded; the keychain's failure is only reported.
  expect(await keys.forget()).toMatchObject({ done: true, fault: words });
  expect([file.stored.size, keys.current()]).toEqual([0, null]);
});

test('a plain-text key that cannot be removed stays in use, and this is reported', async () => {
  const keychain = openVault();
  const file = openVault();
  file.stored.set(ACCOUNT, 'older-key');
  const stuck = {
    ...file.store,
    remove: async () => await Promise.resolve({ state: 'unavailable', reason: 'Stuck.' } as const),
  };
  const keys = await open(keychain.store, { fileStore: stuck });
  expect(await keys.save(KEY, 'keychain')).toMatchObject({
    done: true,
    fault: expect.stringMatching(/plain text could not be removed.*Stuck\./u),
  });
  expect([keys.state().name, keys.current()]).toEqual(['file', 'older-key']);
});

test('a keychain that fails at once is read again, however long the helper took', async () => {
  const { store } = openVault();
  const found = Promise.withResolvers<void>();
  const locked = { state: 'locked', reason: 'Nobody is here.', tookMs: 5 } as const;
  let looks = 0;
  const read = async () => {
    looks += 1;
    if (looks > 1) found.resolve();
    // Longer than a keychain without a prompt takes.
    else await pause(1_100);
    return locked;
  };
  const timeoutMs = { readMs: 30_000, writeMs: 30_000, recheckMs: 20 };
  const keys = await open({ ...store, read }, { timeouts: timeoutMs });
  await found.promise;
  keys.close();
});

test('a failed background read of the key is logged', async () => {
  const { store } = openVault();
  const logged = Promise.withResolvers<string>();
  const locked = { state: 'locked', reason: 'Nobody is here.' } as const;
  const answers = [async () => await Promise.resolve(locked)];
  const read = async () =>
    await (answers.shift() ?? (() => Promise.reject(new Error('Broken.'))))();
  const log = (_level: string, message: string) => logged.resolve(message);
  const keys = await open({ ...store, read }, { log });
  expect(await logged.promise).toContain('Broken.');
  keys.close();
});

test('an invalid key is rejected before anything is stored', async () => {
  const { store, stored } = openVault();
  const keys = await open(store);
  await expect(keys.save('two words', 'keychain')).rejects.toThrow(InvalidKeyError);
  await expect(open(store, { environmentKey: 'two\nlines' })).rejects.toThrow(InvalidKeyError);
  expect(stored.size).toBe(0);
});

test('no key state has a message that contains the key', async () => {
  const { store, stored } = openVault();
  stored.set(ACCOUNT, KEY);
  for (const keys of [await open(store), await open(store, { thisRunKey: KEY })]) {
    expect(keys.state().sentence).not.toContain(KEY);
  }
});
