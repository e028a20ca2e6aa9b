import { Mutex } from 'async-mutex';
import { isDeepStrictEqual } from 'node:util';
import type { KeyState } from '../../shared/upstream.ts';
import type { Log, SecretStore, SecretWrite } from '../host.ts';
import { Emitter } from '../lib/emitter.ts';
import { parseServiceKey } from './service-key.ts';
import {
  fromKeychainWrite,
  describeKey,
  fromKeychainRead,
  type LoadedKey,
  type KeyChange,
} from './state.ts';
import { KeychainQueue } from './keychain-queue.ts';

export { isUsableKey, keyAdvice } from './key-advice.ts';
export { findKeyPlaces } from './key-places.ts';
export { explainKeyError, explainKeyStatus, explainNoModelList } from './key-test-result.ts';
export type { KeyTestResult } from './key-test-result.ts';
export { parseServiceKey, InvalidKeyError } from './service-key.ts';
export { createRedactor } from './redact.ts';
export type { KeyChange } from './state.ts';

export interface KeysOptions {
  readonly secrets: SecretStore;
  /** The upstream's base address: a key is never used for another upstream. */
  readonly account: string;
  readonly log: Log;
  readonly thisRunKey?: string;
  readonly environmentKey?: string;
  /** Keys in plain text, for systems without a keychain. */
  readonly fileStore?: SecretStore;
  readonly timeouts?: Partial<KeychainTimeouts>;
}

/** Timeouts of the keychain, in milliseconds. */
export interface KeychainTimeouts {
  readonly readMs: number;
  readonly writeMs: number;
  /** Pause between checks of a locked keychain that shows no prompt. */
  readonly recheckMs: number;
}

/** The service key of one upstream. */
export interface Keys {
  state(): KeyState;
  /** Returns the key for a request now, from memory. */
  current(): string | null;
  /**
   * Stores a key and uses it from now on; `this-run` and `environment` keys still take precedence. Changes are made in the
   * order of the calls, for both places together.
   * @throws InvalidKeyError
   */
  save(text: string, place: 'keychain' | 'file'): Promise<KeyChange>;
  /** Removes the stored key from both places. Keys of the environment or of this run stay. */
  forget(): Promise<KeyChange>;
  /** Reads the stored key again. */
  reload(): Promise<KeyState>;
  /** Calls the listener when the key, or the reason for having none, changes. Returns a function that removes the listener. */
  on(listener: () => void): () => void;
  /** Stops watching a locked keychain. */
  close(): void;
}

const TIMEOUTS: KeychainTimeouts = { readMs: 5_000, writeMs: 60_000, recheckMs: 15_000 };
/** A keychain that reports "locked" faster than this has shown no prompt, so asking again disturbs nobody. */
const MIN_HUMAN_MS = 1_000;

const COPY_REMAINS =
  'The key is in the keychain, but an older copy in plain text could not be removed and takes precedence.';

/**
 * Finds the service key: given for this run, then the environment, the plain-text file, the keychain. Waits at most 5 s for a
 * keychain; the key of a locked one is read in the background when a person unlocks it.
 * @throws InvalidKeyError when the key of this run or of the environment is invalid.
 */
export async function openKeys(options: KeysOptions): Promise<Keys> {
  const keys = new StoredKeys(options, readGivenKey(options));
  await keys.reload();
  return keys;
}

function readGivenKey({ thisRunKey, environmentKey }: KeysOptions): LoadedKey | null {
  if (thisRunKey !== undefined) {
    return { name: 'this-run', key: parseServiceKey(thisRunKey), reason: '' };
  }
  if (environmentKey !== undefined) {
    return { name: 'environment', key: parseServiceKey(environmentKey), reason: '' };
  }
  return null;
}

class StoredKeys implements Keys {
  readonly #options: KeysOptions;
  readonly #timeouts: KeychainTimeouts;
  readonly #keychainQueue: KeychainQueue;
  readonly #mutex: Mutex = new Mutex();
  /** A key that takes precedence over every stored one. */
  readonly #override: LoadedKey | null;
  readonly #listeners = new Emitter();
  #current: LoadedKey;
  #recheckTimer: NodeJS.Timeout | undefined;
  /** Counts changes: a read that started before a change is outdated. */
  #changeCount = 0;
  #closed = false;

  constructor(options: KeysOptions, given: LoadedKey | null) {
    this.#options = options;
    this.#timeouts = { ...TIMEOUTS, ...options.timeouts };
    this.#override = given;
    this.#current = given ?? fromKeychainRead({ state: 'absent' });
    this.#keychainQueue = new KeychainQueue(this.#logFailure);
  }

  get #loaded(): LoadedKey {
    return this.#current;
  }

  set #loaded(loaded: LoadedKey) {
    const changed = !isDeepStrictEqual(loaded, this.#current);
    this.#current = loaded;
    if (changed) this.#listeners.emit();
  }

  readonly #logFailure = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : 'no reason given';
    this.#options.log('warn', `The service key could not be looked up: ${reason}`);
  };

  state(): KeyState {
    return describeKey(this.#loaded, this.#options.account);
  }

  current(): string | null {
    return this.#loaded.key;
  }

  async save(text: string, place: 'keychain' | 'file'): Promise<KeyChange> {
    const key = parseServiceKey(text);
    return await this.#mutex.runExclusive(() => this.#save(key, place));
  }

  async forget(): Promise<KeyChange> {
    return await this.#mutex.runExclusive(() => this.#forget());
  }

  async #save(key: string, place: 'keychain' | 'file'): Promise<KeyChange> {
    const { account, fileStore, secrets } = this.#options;
    const store = place === 'file' ? fileStore : secrets;
    if (store === undefined) {
      return { done: false, reason: 'Keys are not stored in files here.' };
    }
    const change = await this.#write(() => store.write(account, key));
    if (change.done) {
      const copy = place === 'keychain' ? await fileStore?.remove(account) : undefined;
      if (copy !== undefined && copy.state !== 'done') {
        await this.reload();
        return { done: true, fault: `${COPY_REMAINS} ${copy.reason}` };
      }
      this.#setLoaded({ name: place, key, reason: '' });
    }
    return change;
  }

  async #forget(): Promise<KeyChange> {
    const { account, fileStore, secrets } = this.#options;
    const wasInFile = (await fileStore?.read(account))?.state === 'found';
    const file = fromKeychainWrite((await fileStore?.remove(account)) ?? { state: 'done' });
    const keychain = await this.#write(async () => toUncertain(await secrets.remove(account)));
    if (file.done && keychain.done) {
      this.#setLoaded(fromKeychainRead({ state: 'absent' }));
      return file;
    }
    await this.reload();
    if (!file.done) return file;
    // The key was in the file and has been removed; an unreadable keychain is only reported then.
    return wasInFile && !keychain.done ? { done: true, fault: keychain.reason } : keychain;
  }

  #setLoaded(loaded: LoadedKey): void {
    this.#changeCount += 1;
    this.#loaded = this.#override ?? loaded;
  }

  async reload(): Promise<KeyState> {
    clearTimeout(this.#recheckTimer);
    if (this.#override === null) {
      await this.#load();
    }
    return this.state();
  }

  on(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#recheckTimer);
  }

  async #load(): Promise<void> {
    const { account, fileStore, secrets } = this.#options;
    const seen = this.#changeCount;
    const found = (loaded: LoadedKey): void => {
      if (seen === this.#changeCount) this.#loaded = loaded;
    };
    const file = await fileStore?.read(account);
    if (file?.state === 'found') {
      found({ name: 'file', key: file.secret, reason: '' });
      return;
    }
    const startedAt = performance.now();
    const read = await this.#keychainQueue.run(() => secrets.read(account), {
      ms: this.#timeouts.readMs,
      onLateResult: (answer) => found(fromKeychainRead(answer)),
    });
    const loaded = fromKeychainRead(read);
    // The person expects the file to be used, so its fault comes first.
    const fault = file?.state === 'unavailable' && loaded.key === null ? file : null;
    found(fault === null ? loaded : fromKeychainRead(fault));
    if (read?.state !== 'locked') return;
    // Excludes the start of the helper process, which can take longer than the keychain on a busy machine.
    const tookMs = read.tookMs ?? performance.now() - startedAt;
    if (tookMs < MIN_HUMAN_MS) this.#loadLater();
  }

  #loadLater(): void {
    if (!this.#closed) {
      this.#recheckTimer = setTimeout(this.#reloadInBackground, this.#timeouts.recheckMs).unref();
    }
  }

  /** No caller waits for this reload, so its failure is logged. */
  readonly #reloadInBackground = (): void => {
    this.reload().catch(this.#logFailure);
  };

  async #write(call: () => Promise<SecretWrite>): Promise<KeyChange> {
    const wait = { ms: this.#timeouts.writeMs, onLateResult: this.#reloadInBackground };
    return fromKeychainWrite(await this.#keychainQueue.run(call, wait));
  }
}

/** A keychain that cannot be read from here, as over ssh, may still hold the key. */
function toUncertain(removed: SecretWrite): SecretWrite {
  return removed.state === 'unavailable'
    ? {
        state: 'unavailable',
        reason: `Gatehouse could not read the keychain, so the key may still be there. ${removed.reason}`,
      }
    : removed;
}
