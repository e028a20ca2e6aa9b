import { Mutex } from 'async-mutex';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type { KeyState, Upstream, UpstreamForm } from '../../../shared/upstream.ts';
import type { Control, NewUpstreamChoice } from '../control.ts';
import type { KeyRing } from '../../upstreams/key-ring.ts';
import { findKeyPlaces, type Keys, parseServiceKey, InvalidKeyError } from '../../keys/keys.ts';
import type { ConnectionPool, ConnectionPoolOptions } from '../../upstreams/connection-pool.ts';
import { SANDBOX_KEY } from '../../upstreams/upstream-session.ts';
import type { Host } from '../../host.ts';
import type { UpstreamSessions } from '../../upstreams/upstream-sessions.ts';
import { UserError } from '../../errors.ts';
import type { UpstreamCatalog } from '../../upstreams/upstream-catalog.ts';
import { type TestResult, testUpstream } from '../../upstreams/upstream-test.ts';
import { parseForm, type Upstreams } from '../../upstreams/upstreams.ts';

export interface UpstreamControllerOptions {
  readonly upstreams: Upstreams;
  readonly catalog: UpstreamCatalog;
  readonly sessions: UpstreamSessions;
  readonly ring: KeyRing;
  readonly pool: ConnectionPool;
  readonly host: Host;
  /** Options of the connections of a test. */
  readonly connecting: ConnectionPoolOptions;
  /** Why the upstream is fixed in this run; `undefined` when it is not. */
  readonly pinned: string | undefined;
  readonly mutex: Mutex;
  readonly onChange: (topic: 'status' | 'upstreams') => void;
}

/** The part of the control for upstreams and their keys. */
export type UpstreamControl = Pick<
  Control,
  | 'listUpstreams'
  | 'testUpstream'
  | 'testNewUpstream'
  | 'addUpstream'
  | 'keyPlaces'
  | 'changeUpstream'
  | 'removeUpstream'
  | 'useUpstream'
  | 'saveKey'
  | 'forgetKey'
  | 'readKey'
>;

const NO_KEY: NewUpstreamChoice = { key: null, place: 'keychain', use: false };
const ALWAYS_THERE = 'The sandbox is built in and cannot be changed.';
const NOT_STORED = 'This service was set for this run only. Add it to keep it.';

/** Changes the stored upstreams and the one in use, one change at a time. */
export class UpstreamController implements UpstreamControl {
  readonly #options: UpstreamControllerOptions;
  /** One mutex for the key of each upstream, by its id, so that no key is saved for one that is being removed or moved. */
  readonly #keyMutexes = new Map<string, Mutex>();

  constructor(options: UpstreamControllerOptions) {
    this.#options = options;
  }

  async listUpstreams() {
    const { catalog, sessions, ring } = this.#options;
    const withKey = async (upstream: Upstream) => {
      const active = upstream.id === sessions.current.upstream.id;
      const key =
        upstream.kind === 'sandbox' ? SANDBOX_KEY : (await ring.get(upstream.baseUrl)).state();
      return { ...upstream, active, key };
    };
    return await Promise.all((await catalog.all()).map(withKey));
  }

  async testUpstream(form: UpstreamForm, typedKey: string | null, signal: AbortSignal) {
    const { ring, connecting } = this.#options;
    const read = await parseForm(form, connecting.ownPorts);
    // A typed key must not open the keychain, which may be locked and ask for its password.
    const savedKeys = () => ring.get(read.baseUrl);
    const key = typedKey === null ? (await savedKeys()).current() : parseTypedKey(typedKey);
    if (key === null) {
      const { sentence } = (await savedKeys()).state();
      return { works: false, sentence, models: null, durationMs: 0 };
    }
    return (await this.#test(read, key, signal)).verdict;
  }

  async testNewUpstream(form: UpstreamForm, typedKey: string | null, signal: AbortSignal) {
    const { upstreams, connecting } = this.#options;
    const read = await parseForm(form, connecting.ownPorts);
    await upstreams.requireNew(read.baseUrl);
    if (typedKey === null) {
      const sentence = 'Enter the service key to test it.';
      return { works: false, sentence, models: null, durationMs: 0 };
    }
    return (await this.#test(read, parseTypedKey(typedKey), signal)).verdict;
  }

  /** Tests the upstream in use with its key; `null` without a key. @throws UserError, or the signal's reason */
  async testActive(signal: AbortSignal): Promise<TestResult | null> {
    const { upstream, keys } = this.#options.sessions.current;
    const key = keys.current();
    return key === null ? null : await this.#test(upstream, key, signal);
  }

  async #test(form: UpstreamForm, key: string, signal: AbortSignal): Promise<TestResult> {
    const { connecting, host, sessions } = this.#options;
    const tested = await testUpstream({ form, key, connecting, signal });
    const { verdict, status } = tested;
    const { upstream, keys, health } = sessions.current;
    if (upstream.baseUrl === form.baseUrl && key === keys.current()) {
      const at = host.now();
      if (status === null) health.recordFailure(verdict.sentence, at);
      else {
        if (verdict.works || status >= 400) health.recordAnswer(status, at);
        else health.recordDoubt(verdict.sentence, at);
        connecting.limits.of(upstream.baseUrl).resetCircuit();
      }
    }
    return tested;
  }

  async addUpstream(form: UpstreamForm, choice = NO_KEY): Promise<Upstream> {
    const { connecting, mutex, onChange } = this.#options;
    const read = await parseForm(form, connecting.ownPorts);
    const key = choice.key === null ? null : parseTypedKey(choice.key);
    // Another service must not be added or moved to this address meanwhile, or each would change the key of the other.
    const added = await mutex.runExclusive(() => this.#addWithKey(read, { ...choice, key }));
    try {
      choice.signal?.throwIfAborted();
      if (choice.use) await this.useUpstream(added.id);
    } catch (error) {
      await this.removeUpstream(added.id);
      throw error;
    }
    onChange('upstreams');
    return added;
  }

  /** Stores the key first, because without it nothing may remain. @throws UserError */
  async #addWithKey(
    form: UpstreamForm,
    { key, place, signal }: NewUpstreamChoice,
  ): Promise<Upstream> {
    const { upstreams, ring } = this.#options;
    if (key === null) return await upstreams.add(form);
    const { baseUrl } = form;
    const exists = async () => (await upstreams.list()).some((one) => one.baseUrl === baseUrl);
    // Its refusal names the address.
    if (await exists()) return await upstreams.add(form);
    const change = await (await ring.get(baseUrl)).save(key, place);
    const fault = change.done ? change.fault : change.reason;
    try {
      if (fault !== undefined) throw new UserError(fault, 'place');
      // A locked keychain asks for its password, for as long as the person likes.
      signal?.throwIfAborted();
      const added = await upstreams.add(form);
      await this.#markKeyChanged();
      return added;
    } catch (error) {
      // The key stays when another process has added the address meanwhile.
      if (change.done && !(await exists())) await this.#forgetQuietly(baseUrl);
      throw error;
    }
  }

  async keyPlaces() {
    return await findKeyPlaces(this.#options.host);
  }

  async changeUpstream(id: string, form: UpstreamForm): Promise<Upstream> {
    const { upstreams, sessions, connecting, pool, onChange, pinned } = this.#options;
    const read = await parseForm(form, connecting.ownPorts);
    return await this.#withKeyOf(id, async () => {
      const before = await this.#changeable(id);
      const moved = before.baseUrl !== read.baseUrl;
      const active = sessions.current.upstream.id === id;
      if (active && moved && pinned !== undefined) throw new UserError(pinned, 'baseUrl');
      const changed = { ...(await upstreams.change(id, read)), active };
      // New connections read the file of certificates again, which may be another one at the same path.
      pool.retire(before.baseUrl);
      if (active) await sessions.activate(changed);
      if (moved) await this.#forgetQuietly(before.baseUrl);
      onChange('upstreams');
      return changed;
    });
  }

  async removeUpstream(id: string): Promise<void> {
    const { upstreams, catalog, sessions, ring, pool, onChange } = this.#options;
    await this.#withKeyOf(id, async () => {
      const upstream = await this.#changeable(id);
      if (sessions.current.upstream.id === id) {
        this.#refusePinned();
        await upstreams.activate(null);
        await sessions.activate(await catalog.sandbox());
      }
      try {
        await this.#forget(await ring.get(upstream.baseUrl));
        await upstreams.remove(id);
        pool.retire(upstream.baseUrl);
      } finally {
        // It is not in use any more, even if its key could not be deleted.
        onChange('upstreams');
      }
    });
  }

  async useUpstream(id: string): Promise<void> {
    const { upstreams, catalog, sessions, mutex, onChange } = this.#options;
    await mutex.runExclusive(async () => {
      if (sessions.current.upstream.id === id) return;
      this.#refusePinned();
      const restore = await sessions.activateRestorably(await catalog.find(id));
      // An upstream for this run only is not stored, so no stored one is active then.
      const stored = (await upstreams.list()).some((one) => one.id === id);
      try {
        await upstreams.activate(stored ? id : null);
      } catch (error) {
        // A choice that cannot be saved is not used, or the next start would use another upstream.
        await restore();
        throw error;
      }
      onChange('upstreams');
    });
  }

  async saveKey(id: string, text: string, place: 'keychain' | 'file'): Promise<KeyState> {
    const key = parseTypedKey(text);
    return await this.#keyMutexFor(id).runExclusive(async () => {
      const keys = await this.#findKeys(id);
      const change = await keys.save(key, place);
      await this.#markKeyChanged();
      const fault = change.done ? change.fault : change.reason;
      if (fault !== undefined) throw new UserError(fault, 'key');
      return keys.state();
    });
  }

  async forgetKey(id: string): Promise<KeyState> {
    return await this.#keyMutexFor(id).runExclusive(async () => {
      const keys = await this.#findKeys(id);
      await this.#forget(keys);
      return keys.state();
    });
  }

  async readKey(id: string): Promise<KeyState> {
    const keys = await this.#findKeys(id);
    await keys.reload();
    return keys.state();
  }

  #keyMutexFor(id: string): Mutex {
    const mutex = this.#keyMutexes.get(id) ?? new Mutex();
    this.#keyMutexes.set(id, mutex);
    return mutex;
  }

  /** Changes an upstream together with its key. Changes of others do not wait for its keychain. */
  async #withKeyOf<Value>(id: string, work: () => Promise<Value>): Promise<Value> {
    return await this.#keyMutexFor(id).runExclusive(() => this.#options.mutex.runExclusive(work));
  }

  #refusePinned(): void {
    const { pinned } = this.#options;
    if (pinned !== undefined) throw new UserError(pinned);
  }

  /** Finds a stored upstream. @throws UserError, NotFoundError */
  async #changeable(id: string): Promise<Upstream> {
    const { upstreams, catalog } = this.#options;
    if (id === SANDBOX_ID) throw new UserError(ALWAYS_THERE);
    const stored = (await upstreams.list()).find((one) => one.id === id);
    if (stored !== undefined) return stored;
    await catalog.find(id);
    throw new UserError(NOT_STORED);
  }

  async #findKeys(id: string): Promise<Keys> {
    const { catalog, ring } = this.#options;
    if (id === SANDBOX_ID) throw new UserError('The sandbox needs no service key.', 'key');
    return await ring.get((await catalog.find(id)).baseUrl);
  }

  /** Deletes a key. Without a keychain it counts as deleted if none was known. @throws UserError */
  async #forget(keys: Keys): Promise<void> {
    const { name } = keys.state();
    const change = await keys.forget();
    await this.#markKeyChanged();
    const known = name !== 'missing' && name !== 'unavailable';
    if (!change.done && known) {
      throw new UserError(`The key could not be removed. ${change.reason}`, 'key');
    }
  }

  /** Logs a failure, because the upstream that would show it is deleted. */
  async #forgetQuietly(baseUrl: string): Promise<void> {
    const { ring, host } = this.#options;
    try {
      await this.#forget(await ring.get(baseUrl));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      host.log('warn', `The key for ${baseUrl}: ${error.message}`);
    }
  }

  async #markKeyChanged(): Promise<void> {
    const { upstreams, host } = this.#options;
    await upstreams.markKeyChanged(host.now());
  }
}

/** @throws UserError with the field `key` */
function parseTypedKey(text: string): string {
  try {
    return parseServiceKey(text);
  } catch (error) {
    if (!(error instanceof InvalidKeyError)) throw error;
    throw new UserError(error.message, 'key', { cause: error });
  }
}

/** Returns the methods of a controller as separate functions. */
export function toUpstreamControl(controller: UpstreamController): UpstreamControl {
  return {
    listUpstreams: () => controller.listUpstreams(),
    testUpstream: (form, key, signal) => controller.testUpstream(form, key, signal),
    testNewUpstream: (form, key, signal) => controller.testNewUpstream(form, key, signal),
    addUpstream: (form, choice) => controller.addUpstream(form, choice),
    keyPlaces: () => controller.keyPlaces(),
    changeUpstream: (id, form) => controller.changeUpstream(id, form),
    removeUpstream: (id) => controller.removeUpstream(id),
    useUpstream: (id) => controller.useUpstream(id),
    saveKey: (id, key, place) => controller.saveKey(id, key, place),
    forgetKey: (id) => controller.forgetKey(id),
    readKey: (id) => controller.readKey(id),
  };
}
