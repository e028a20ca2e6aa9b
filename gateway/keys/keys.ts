import { isDeepStrictEqual } from 'node:util';
import type { KeyState } from '../../shared/upstream.ts';
import type { Log, SecretStore, SecretWrite } from '../host.ts';
import { type InTurn, makeInTurn } from '../in-turn.ts';
import { Listeners } from '../listeners.ts';
import { readServiceKey } from './read.ts';
import { changeFrom, describeKey, heldFromKeychain } from './state.ts';
import type { HeldKey, KeyChange } from './state.ts';
import { Turn } from './turn.ts';

export { explainKeyError, explainKeyStatus, explainNoModelList } from './explain.ts';
export type { KeyVerdict } from './explain.ts';
export { readServiceKey, UnusableKey } from './read.ts';
export { redactor } from './redact.ts';
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
  readonly patience?: Partial<Patience>;
}

/** How long to wait for a keychain, in milliseconds. */
export interface Patience {
  readonly readMs: number;
  readonly writeMs: number;
  /** Pause between looks at a locked keychain that asked nobody. */
  readonly recheckMs: number;
}

/** The service key of one upstream. */
export interface Keys {
  state(): KeyState;
  /** The key to put on a request now, from memory. */
  current(): string | null;
  /**
   * Keeps a key and uses it from now on. `this-run` and `environment` keys still win. Changes are made in the order in which they were asked
   * for, whichever place they are for. @throws UnusableKey
   */
  save(text: string, place: 'keychain' | 'file'): Promise<KeyChange>;
  /** Removes the kept key, wherever it is kept. Keys of the environment or of this run stay. */
  forget(): Promise<KeyChange>;
  /** Looks again at where the key is kept. */
  reload(): Promise<KeyState>;
  /** Called when another key is used from now on, or none, or for another reason. Returns what stops it. */
  on(listener: () => void): () => void;
  /** Stops watching a locked keychain. */
  close(): void;
}

const PATIENCE: Patience = { readMs: 5_000, writeMs: 60_000, recheckMs: 15_000 };
/** A keychain that says "locked" faster than this has shown no prompt to anybody, so asking again disturbs nobody. */
const TOO_FAST_FOR_A_PERSON_MS = 1_000;

const COPY_STAYS =
  'The key is in the keychain, but an older copy in plain text could not be removed and goes before it.';

/**
 * Finds the service key: given for this run, then the environment, the plain-text file, the keychain. Waits at most 5 s for a
 * keychain; one that is locked is picked up in the background when a person unlocks it.
 * @throws UnusableKey when the key of this run or of the environment cannot be one.
 */
export async function openKeys(options: KeysOptions): Promise<Keys> {
  const keys = new KeptKeys(options, givenKey(options));
  await keys.reload();
  return keys;
}

function givenKey({ thisRunKey, environmentKey }: KeysOptions): HeldKey | null {
  if (thisRunKey !== undefined) {
    return { name: 'this-run', key: readServiceKey(thisRunKey), reason: '' };
  }
  if (environmentKey !== undefined) {
    return { name: 'environment', key: readServiceKey(environmentKey), reason: '' };
  }
  return null;
}

class KeptKeys implements Keys {
  readonly #options: KeysOptions;
  readonly #patience: Patience;
  readonly #turn: Turn;
  readonly #inTurn: InTurn = makeInTurn();
  /** A key that wins over every kept one. */
  readonly #given: HeldKey | null;
  readonly #listeners = new Listeners();
  #inHand: HeldKey;
  #recheck: NodeJS.Timeout | undefined;
  /** So many changes were made: a look that began before one of them tells nothing new. */
  #changes = 0;
  #closed = false;

  constructor(options: KeysOptions, given: HeldKey | null) {
    this.#options = options;
    this.#patience = { ...PATIENCE, ...options.patience };
    this.#given = given;
    this.#inHand = given ?? heldFromKeychain({ state: 'absent' });
    this.#turn = new Turn(this.#logFailure);
  }

  get #held(): HeldKey {
    return this.#inHand;
  }

  set #held(held: HeldKey) {
    const changed = !isDeepStrictEqual(held, this.#inHand);
    this.#inHand = held;
    if (changed) this.#listeners.tell();
  }

  readonly #logFailure = (error: unknown): void => {
    const reason = error instanceof Error ? error.message : 'no reason given';
    this.#options.log('warn', `The service key could not be looked up: ${reason}`);
  };

  state(): KeyState {
    return describeKey(this.#held, this.#options.account);
  }

  current(): string | null {
    return this.#held.key;
  }

  async save(text: string, place: 'keychain' | 'file'): Promise<KeyChange> {
    const key = readServiceKey(text);
    return await this.#inTurn(() => this.#save(key, place));
  }

  async forget(): Promise<KeyChange> {
    return await this.#inTurn(() => this.#forget());
  }

  async #save(key: string, place: 'keychain' | 'file'): Promise<KeyChange> {
    const { account, fileStore, secrets } = this.#options;
    const store = place === 'file' ? fileStore : secrets;
    if (store === undefined) {
      return { done: false, reason: 'Keys are not kept in files here.' };
    }
    const change = await this.#write(() => store.write(account, key));
    if (change.done) {
      const copy = place === 'keychain' ? await fileStore?.remove(account) : undefined;
      if (copy !== undefined && copy.state !== 'done') {
        await this.reload();
        return { done: true, fault: `${COPY_STAYS} ${copy.reason}` };
      }
      this.#changed({ name: place, key, reason: '' });
    }
    return change;
  }

  async #forget(): Promise<KeyChange> {
    const { account, fileStore, secrets } = this.#options;
    const wasInFile = (await fileStore?.read(account))?.state === 'found';
    const file = changeFrom((await fileStore?.remove(account)) ?? { state: 'done' });
    const keychain = await this.#write(async () => unseen(await secrets.remove(account)));
    if (file.done && keychain.done) {
      this.#changed(heldFromKeychain({ state: 'absent' }));
      return file;
    }
    await this.reload();
    if (!file.done) return file;
    // The key was in the file and is gone; a keychain that cannot be looked into is only worth a word then.
    return wasInFile && !keychain.done ? { done: true, fault: keychain.reason } : keychain;
  }

  #changed(held: HeldKey): void {
    this.#changes += 1;
    this.#held = this.#given ?? held;
  }

  async reload(): Promise<KeyState> {
    clearTimeout(this.#recheck);
    if (this.#given === null) {
      await this.#look();
    }
    return this.state();
  }

  on(listener: () => void): () => void {
    return this.#listeners.add(listener);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#recheck);
  }

  async #look(): Promise<void> {
    const { account, fileStore, secrets } = this.#options;
    const seen = this.#changes;
    const found = (held: HeldKey): void => {
      if (seen === this.#changes) this.#held = held;
    };
    const file = await fileStore?.read(account);
    if (file?.state === 'found') {
      found({ name: 'file', key: file.secret, reason: '' });
      return;
    }
    const begun = performance.now();
    const read = await this.#turn.take(() => secrets.read(account), {
      ms: this.#patience.readMs,
      late: (answer) => found(heldFromKeychain(answer)),
    });
    const held = heldFromKeychain(read);
    // The person believes that the file is in use, so its fault comes first.
    const fault = file?.state === 'unavailable' && held.key === null ? file : null;
    found(fault === null ? held : heldFromKeychain(fault));
    if (read?.state !== 'locked') return;
    // On a busy machine the process that asks takes longer to start than the keychain to answer.
    const tookMs = read.tookMs ?? performance.now() - begun;
    if (tookMs < TOO_FAST_FOR_A_PERSON_MS) this.#lookLater();
  }

  #lookLater(): void {
    if (!this.#closed) {
      this.#recheck = setTimeout(this.#reloadUnasked, this.#patience.recheckMs).unref();
    }
  }

  /** Nobody waits for this look, so its failure goes to the log. */
  readonly #reloadUnasked = (): void => {
    this.reload().catch(this.#logFailure);
  };

  async #write(call: () => Promise<SecretWrite>): Promise<KeyChange> {
    const wait = { ms: this.#patience.writeMs, late: this.#reloadUnasked };
    return changeFrom(await this.#turn.take(call, wait));
  }
}

/** A keychain that cannot be looked into from here, as over ssh, may keep the key all the same. */
function unseen(removed: SecretWrite): SecretWrite {
  return removed.state === 'unavailable'
    ? {
        state: 'unavailable',
        reason: `Gatehouse could not look into the keychain, so the key may still be there. ${removed.reason}`,
      }
    : removed;
}
