import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Mutex } from 'async-mutex';
import {
  AllowedModels,
  type Client,
  type ClientSummary,
  type Expiry,
  type KeepBodies,
  type NewClient,
} from '../../shared/client.ts';
import type { UsageScope } from '../../shared/history/history.ts';
import { Emitter } from '../lib/emitter.ts';
import { NotFoundError } from '../errors.ts';
import { ClientError } from './client-error.ts';
import { ClientRows, toClient } from './client-rows.ts';
import {
  assertChangeable,
  createFixedClient,
  createOwnClient,
  type ClientWithHash,
  type OwnClient,
} from './in-memory-clients.ts';
import { isSameName, nameTakenError, notFoundError, parseName } from './client-name.ts';
import { isExpired, parseExpiry } from './expiry.ts';
import { ExpiryMarks } from './expiry-marks.ts';
import { listClients } from './list-clients.ts';
import {
  parseHash,
  findMatchingKey,
  isLocalKey,
  createLocalKey,
  KeyDigests,
  toKeyHash,
} from './local-key.ts';
import { type RetiredKey, RetiredKeys } from './retired-keys.ts';
import { TemporaryKeys } from './temporary-keys.ts';
import type { Clients, ClientsOptions } from './types.ts';

export type { ClientMatch, Clients, ClientsOptions } from './types.ts';
export { ClientError } from './client-error.ts';
export { FIXED_CLIENT_NAME, InvalidLocalKeyError } from './in-memory-clients.ts';
export { maskLocalKeys } from './local-key.ts';
export type { RetiredKey } from './retired-keys.ts';

const RELOAD_INTERVAL_MS = 250;
/** No key has this hash, so it matches no request. */
const UNMATCHABLE_HASH = Buffer.alloc(32);

/** @throws InvalidLocalKeyError when the fixed local key is too weak or not a single word. */
export async function openClients(options: ClientsOptions): Promise<Clients> {
  const clients = new StoredClients(options);
  await clients.reload();
  return clients;
}

class StoredClients implements Clients {
  readonly #options: ClientsOptions;
  readonly #rows: ClientRows;
  readonly #expiryMarks: ExpiryMarks;
  readonly #listeners = new Emitter();
  readonly #retired = new RetiredKeys();
  readonly #secrets: readonly string[];
  #stored: readonly ClientWithHash[] = [];
  /** The temporary keys with their clients. */
  #temporaryClients: readonly ClientWithHash[] = [];
  #fixed: readonly ClientWithHash[];
  readonly #temporary: TemporaryKeys;
  readonly #ownKeys = new Map<OwnClient, string>();
  #active: readonly ClientWithHash[] = [];
  #hashes: readonly Buffer[] = [];
  #digests = new KeyDigests();
  /** Ids of clients whose rows are damaged. */
  readonly #damaged = new Set<string>();
  /** Monotonic milliseconds of the last reload for an unknown client. */
  #reloadedAt = Number.NEGATIVE_INFINITY;
  #nextReload: Promise<void> | null = null;
  readonly #reloading = new Mutex();
  #keepBodies: ReadonlyMap<string, number> = new Map();

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#rows = new ClientRows(options);
    this.#temporary = new TemporaryKeys(options);
    const { fixedLocalKey, now, log } = options;
    this.#expiryMarks = new ExpiryMarks({ rows: this.#rows, now, log });
    this.#secrets = fixedLocalKey === undefined ? [] : [fixedLocalKey];
    this.#fixed = fixedLocalKey === undefined ? [] : [createFixedClient(fixedLocalKey, now())];
  }

  find(candidates: readonly string[]) {
    const digestOf = (key: string) => this.#digests.of(key);
    const found = findMatchingKey(candidates, this.#hashes, digestOf);
    const known = found === null ? undefined : this.#active[found.hash];
    if (found === null || known === undefined) return null;
    if (known.until !== undefined && known.until <= this.#options.now()) {
      // It ends for good, so that setting the clock back does not revive it; a failure leaves it to the next reading.
      this.#temporaryClients = this.#temporaryClients.filter((one) => one !== known);
      this.#activate();
      this.#temporary.markEnded().catch(() => undefined);
      return null;
    }
    this.#digests.remember(candidates[found.candidate] ?? '');
    return { client: known.client, index: found.candidate, project: known.project ?? null };
  }

  async findUncached(candidates: readonly string[]) {
    const found = this.find(candidates);
    if (found !== null || !candidates.some(isLocalKey)) {
      return found;
    }
    this.#nextReload ??= this.#reloadThrottled();
    await this.#nextReload;
    return this.find(candidates);
  }

  findRetired(candidates: readonly string[]): RetiredKey | null {
    return this.#retired.find(candidates);
  }

  hasExpired(client: Client, at: number): boolean {
    if (!isExpired(client, at)) return false;
    if (!client.expired) void this.#markExpired(client, at);
    return true;
  }

  secrets(): readonly string[] {
    return this.#secrets;
  }

  async add(name: string, expiresAt: Expiry = null): Promise<NewClient> {
    const parsedName = parseName(name);
    const expiry = parseExpiry(expiresAt, this.#options.now());
    const isTaken = this.#active.some((known) => isSameName(known.client.name, parsedName));
    const added = isTaken ? null : await this.#rows.insert(parsedName, expiry);
    await this.reload();
    if (added === null) throw nameTakenError(parsedName);
    return added;
  }

  async addFirst(): Promise<NewClient | null> {
    const added = await this.#rows.insertFirst('First client');
    await this.reload();
    return added;
  }

  async list(scope: UsageScope = 'services', unused = false): Promise<readonly ClientSummary[]> {
    const { store, now } = this.#options;
    return await listClients(store, this.#fixed, { scope, now: now(), unused });
  }

  async revoke(nameOrId: string): Promise<Client> {
    const revokedAt = this.#options.now();
    const client = await this.#change(nameOrId, { revoked_at: revokedAt });
    return { ...client, revokedAt };
  }

  async rename(id: string, name: string): Promise<void> {
    const client = await this.#getChangeable(id);
    const parsedName = parseName(name);
    const others = this.#active.filter((known) => known.client.id !== client.id);
    if (others.some((known) => isSameName(known.client.name, parsedName)))
      throw nameTakenError(parsedName);
    const renamed = await this.#rows.rename(id, parsedName);
    await this.reload();
    if (!renamed) throw nameTakenError(parsedName);
  }

  async renew(id: string, expiresAt: Expiry): Promise<NewClient> {
    const expiry = parseExpiry(expiresAt, this.#options.now());
    const client = await this.#getChangeable(id);
    const key = createLocalKey(this.#options.randomBytes);
    await this.#rows.replaceKey(client.id, key, expiry);
    await this.reload();
    return {
      client: { ...client, expiresAt: expiry, expired: false, onlyTemporaryKeys: false },
      key,
    };
  }

  async addTemporaryKey(
    name: string,
    lastsMs: number,
    project: string | null = null,
  ): Promise<NewClient> {
    const parsedName = parseName(name);
    // Another process may add it at the same moment: then its client is used.
    await this.#rows.insertForTemporaryKeys(parsedName);
    await this.reload();
    const client = await this.#findChangeable(parsedName);
    const key = await this.#temporary.add(client, lastsMs, project);
    await this.reload();
    return { client, key };
  }

  async removeTemporaryKey(key: string): Promise<void> {
    await this.#temporary.end(toKeyHash(key));
    await this.reload();
  }

  async addConnectionKey(id: string): Promise<NewClient> {
    const client = await this.#getChangeable(id);
    const key = await this.#temporary.add(client, null, null);
    await this.reload();
    return { client, key };
  }

  async endKey(id: string, keyHash: string | null): Promise<boolean> {
    const isOwn = await this.#rows.endOwnKey(id, keyHash);
    const isEnded = isOwn || (keyHash !== null && (await this.#temporary.end(keyHash)));
    await this.reload();
    return isEnded;
  }

  hasKey(id: string, keyHash: string): boolean {
    const wanted = parseHash(keyHash);
    return this.#active.some((one) => one.client.id === id && wanted?.equals(one.hash) === true);
  }

  async setExpiry(nameOrId: string, expiresAt: Expiry): Promise<Client> {
    const expiry = parseExpiry(expiresAt, this.#options.now());
    const client = await this.#change(nameOrId, { expires_at: expiry, expired_at: null });
    return { ...client, expiresAt: expiry, expired: false };
  }

  async setKeepBodies(nameOrId: string, days: KeepBodies): Promise<Client> {
    const client = await this.#change(nameOrId, { keep_bodies_days: days });
    return { ...client, keepBodiesDays: days };
  }

  async setModels(nameOrId: string, models: AllowedModels): Promise<Client> {
    const parsed = AllowedModels.safeParse(models);
    if (!parsed.success)
      throw new ClientError(parsed.error.issues[0]?.message ?? 'These are no models.');
    const text = parsed.data === null ? null : JSON.stringify(parsed.data);
    const client = await this.#change(nameOrId, { models: text });
    return { ...client, models: parsed.data };
  }

  keepBodies(): ReadonlyMap<string, number> {
    return this.#keepBodies;
  }

  ownKey(own: OwnClient): string {
    const known = this.#ownKeys.get(own);
    if (known !== undefined) return known;
    const { randomBytes, now } = this.#options;
    const key = createLocalKey(randomBytes);
    this.#ownKeys.set(own, key);
    this.#fixed = [...this.#fixed, createOwnClient(own, key, now())];
    this.#activate();
    return key;
  }

  async reload(): Promise<void> {
    // One after the other, so that no read ends with what a later one has replaced.
    await this.#reloading.runExclusive(() => this.#reload());
  }

  async #reload(): Promise<void> {
    const rows = await this.#rows.listActive();
    const now = this.#options.now();
    const stored = rows.map((row) => ({
      client: toClient(row, now),
      hash: parseHash(row.key_hash) ?? this.#logDamaged(row),
    }));
    const clients = stored.map(({ client }) => client);
    const temporary = await this.#temporary.list(clients);
    await this.#expiryMarks.markDue(rows, clients);
    await this.#retired.reload(this.#options.store, now);
    this.#keepBodies = await this.#rows.readKeepBodies();
    const changed = !isDeepStrictEqual(stored, this.#stored);
    this.#stored = stored;
    this.#temporaryClients = temporary;
    this.#activate();
    if (changed) this.#listeners.emit();
  }

  listDamaged(): readonly Client[] {
    return this.#stored.flatMap(({ client, hash }) => (hash === UNMATCHABLE_HASH ? [client] : []));
  }

  on(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }

  /** Logs each damaged client once, because the clients are read repeatedly. */
  #logDamaged({ id, name }: { readonly id: string; readonly name: string }): Buffer {
    if (!this.#damaged.has(id)) {
      this.#damaged.add(id);
      this.#options.log(
        'error',
        `The local key of the client "${name}" is damaged in gatehouse.db and cannot be used. Give the client another key: Clients in the window, New key; or revoke it and add it again.`,
      );
    }
    return UNMATCHABLE_HASH;
  }

  #activate(): void {
    this.#active = [...this.#stored, ...this.#fixed, ...this.#temporaryClients];
    this.#hashes = this.#active.map(({ hash }) => hash);
    // Keys that were revoked or replaced do not stay in memory.
    this.#digests = new KeyDigests();
  }

  /** Reads the client from the database, because another process may have changed it. @throws ClientError, NotFoundError */
  async #getChangeable(id: string): Promise<Client> {
    await this.reload();
    const known = this.#active.find(({ client }) => client.id === id)?.client;
    if (known !== undefined) {
      assertChangeable(known);
      return known;
    }
    const revoked = (await this.list()).find((client) => client.id === id);
    throw revoked === undefined
      ? new NotFoundError('This client no longer exists.')
      : new ClientError(`"${revoked.name}" is revoked. Add a new client instead.`);
  }

  /** A caller that comes during a read waits for a later one: this read may miss a client that was added meanwhile. */
  async #reloadThrottled(): Promise<void> {
    await pause(Math.max(0, this.#reloadedAt + RELOAD_INTERVAL_MS - performance.now()));
    this.#nextReload = null;
    this.#reloadedAt = performance.now();
    await this.reload();
  }

  /** Finds the client with this name or id. @throws ClientError */
  async #findChangeable(nameOrId: string): Promise<Client> {
    const name = nameOrId.trim();
    const known = this.#active.find(
      ({ client }) => client.id === nameOrId || isSameName(client.name, name),
    );
    if (known === undefined) throw notFoundError(name, await this.list());
    assertChangeable(known.client);
    return known.client;
  }

  /** Changes the row of the client with this name or id, and returns the client as it was. @throws ClientError */
  async #change(nameOrId: string, change: Parameters<ClientRows['update']>[1]): Promise<Client> {
    // Another process may have changed it.
    await this.reload();
    const client = await this.#findChangeable(nameOrId);
    await this.#rows.update(client.id, change);
    await this.reload();
    return client;
  }

  /** Marks the client without delaying the refusal of its key. Never rejects: a later reload reads what this one could not. */
  async #markExpired(client: Client, at: number): Promise<void> {
    if (await this.#expiryMarks.mark(client, at)) await this.reload().catch(() => undefined);
  }
}
