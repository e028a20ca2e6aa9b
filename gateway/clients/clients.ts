import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { sql } from 'kysely';
import {
  ClientId,
  ClientName,
  type Client,
  type ClientSummary,
  type NewClient,
} from '../../shared/client.ts';
import type { Log } from '../host.ts';
import { Emitter } from '../lib/emitter.ts';
import { NotFoundError } from '../errors.ts';
import type { Store } from '../store/store.ts';
import { ClientError } from './client-error.ts';
import {
  createChatClient,
  createFixedClient,
  type ClientWithHash,
  readOnlyReason,
  createWindowClient,
} from './in-memory-clients.ts';
import { listClients, toClient } from './list-clients.ts';
import { findMatchingKey, hashLocalKey, isLocalKey, createLocalKey } from './local-key.ts';

export { ClientError } from './client-error.ts';
export { FIXED_CLIENT_NAME, InvalidLocalKeyError } from './in-memory-clients.ts';
export { maskLocalKeys } from './local-key.ts';

/** Dependencies of the clients. */
export interface ClientsOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** An additional local key that the environment gave; it is not stored. */
  readonly fixedLocalKey?: string;
  readonly log: Log;
}

/** The client whose local key was sent; `index` is the position of the matching candidate. */
export interface ClientMatch {
  readonly client: Client;
  readonly index: number;
}

export interface Clients {
  /** Finds the client whose local key is among the candidates: in memory, in constant time. */
  find(candidates: readonly string[]): ClientMatch | null;
  /**
   * Finds also a client that another process may have added a moment ago: when no client matches and a candidate looks like a
   * local key, reads the clients again first. Reads at most once in 250 ms; callers in between wait for the next read.
   */
  findUncached(candidates: readonly string[]): Promise<ClientMatch | null>;
  /** Lists the clients whose stored key hash is damaged, so that no key matches them. */
  listDamaged(): readonly Client[];
  /** Local keys that are known in plain text and must be masked in logs and records: the fixed one, if any. */
  secrets(): readonly string[];
  /** Adds a client. Names are unique among the clients that are not revoked, regardless of case. @throws ClientError */
  add(name: string): Promise<NewClient>;
  /** Adds "First client" when there has never been a client; otherwise `null`. */
  addFirst(): Promise<NewClient | null>;
  /** Lists every client, revoked ones too, oldest first; then those of the environment and the window, if there are any. */
  list(): Promise<readonly ClientSummary[]>;
  /** Revokes the client with this name or id from now on. @throws ClientError when there is none. */
  revoke(nameOrId: string): Promise<Client>;
  /** Renames a client. @throws ClientError, NotFoundError */
  rename(id: string, name: string): Promise<void>;
  /** Replaces the local key of a client; the old key is invalid at once. @throws ClientError, NotFoundError */
  renew(id: string): Promise<NewClient>;
  /** Returns the local key of the client "Window", creating it at the first call. It is in memory only. */
  windowKey(): string;
  /** Returns the local key of the client "Chat", creating it at the first call. It is in memory only. */
  chatKey(): string;
  /** Reads the clients again after another process changed them. */
  reload(): Promise<void>;
  /** Calls the listener when clients were added, removed or changed. Returns a function that removes the listener. */
  on(listener: () => void): () => void;
}

const ID_BYTES = 8;
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
  readonly #listeners = new Emitter();
  #stored: readonly ClientWithHash[] = [];
  #fixed: readonly ClientWithHash[];
  #windowKey: string | null = null;
  #chatKey: string | null = null;
  #active: readonly ClientWithHash[] = [];
  #hashes: readonly Buffer[] = [];
  /** Ids of clients whose rows are damaged. */
  readonly #damaged = new Set<string>();
  /** Monotonic milliseconds of the last reload for an unknown client. */
  #reloadedAt = Number.NEGATIVE_INFINITY;
  #nextReload: Promise<void> | null = null;

  constructor(options: ClientsOptions) {
    this.#options = options;
    const { fixedLocalKey, now } = options;
    this.#fixed = fixedLocalKey === undefined ? [] : [createFixedClient(fixedLocalKey, now())];
  }

  find(candidates: readonly string[]) {
    const found = findMatchingKey(candidates, this.#hashes);
    const known = found === null ? undefined : this.#active[found.hash];
    return found === null || known === undefined
      ? null
      : { client: known.client, index: found.candidate };
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

  secrets(): readonly string[] {
    const { fixedLocalKey } = this.#options;
    return fixedLocalKey === undefined ? [] : [fixedLocalKey];
  }

  async add(name: string): Promise<NewClient> {
    const parsedName = parseName(name);
    const added = await this.#insert(parsedName, 'free-name');
    if (added === null) throw nameTakenError(parsedName);
    return added;
  }

  async addFirst(): Promise<NewClient | null> {
    return await this.#insert('First client', 'no-client-yet');
  }

  async list(): Promise<readonly ClientSummary[]> {
    return await listClients(
      this.#options.store,
      this.#fixed.map(({ client }) => client),
    );
  }

  async revoke(nameOrId: string): Promise<Client> {
    const parsedName = nameOrId.trim().toLowerCase();
    const known = this.#active.find(
      ({ client }) => client.id === nameOrId || client.name.toLowerCase() === parsedName,
    );
    if (known === undefined) {
      throw await this.#createRevokeError(nameOrId.trim());
    }
    assertChangeable(known.client);
    const revokedAt = this.#options.now();
    await this.#options.store.db
      .updateTable('client')
      .set({ revoked_at: revokedAt })
      .where('id', '=', known.client.id)
      .execute();
    await this.reload();
    return { ...known.client, revokedAt };
  }

  async rename(id: string, name: string): Promise<void> {
    const client = await this.#getChangeable(id);
    const parsedName = parseName(name);
    const others = this.#active.filter((known) => known.client.id !== client.id);
    if (others.some((known) => isSameName(known.client.name, parsedName)))
      throw nameTakenError(parsedName);
    // One statement decides and changes, so that two processes cannot both succeed.
    const { numAffectedRows } = await sql`
      update client set name = ${parsedName} where id = ${id} and not exists (
        select 1 from client where revoked_at is null and id <> ${id} and lower(name) = lower(${parsedName}))
    `.execute(this.#options.store.db);
    await this.reload();
    if (numAffectedRows === 0n) throw nameTakenError(parsedName);
  }

  async renew(id: string): Promise<NewClient> {
    const { store, randomBytes } = this.#options;
    const client = await this.#getChangeable(id);
    const key = createLocalKey(randomBytes);
    await store.db
      .updateTable('client')
      .set({ key_hash: hashLocalKey(key).toString('hex') })
      .where('id', '=', client.id)
      .execute();
    await this.reload();
    return { client, key };
  }

  windowKey(): string {
    return (this.#windowKey ??= this.#addInMemory(createWindowClient));
  }

  chatKey(): string {
    return (this.#chatKey ??= this.#addInMemory(createChatClient));
  }

  async reload(): Promise<void> {
    const rows = await this.#options.store.db
      .selectFrom('client')
      .selectAll()
      .where('revoked_at', 'is', null)
      .execute();
    const stored = rows.map((row) => ({
      client: toClient(row),
      hash: parseHash(row.key_hash) ?? this.#logDamaged(row),
    }));
    const changed = !isDeepStrictEqual(stored, this.#stored);
    this.#stored = stored;
    this.#activate();
    if (changed) this.#listeners.emit();
  }

  listDamaged(): readonly Client[] {
    return this.#stored.flatMap(({ client, hash }) => (hash === UNMATCHABLE_HASH ? [client] : []));
  }

  on(listener: () => void): () => void {
    return this.#listeners.add(listener);
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

  /** Adds a client that is in memory only. */
  #addInMemory(makeClient: typeof createWindowClient): string {
    const { randomBytes, now } = this.#options;
    const key = createLocalKey(randomBytes);
    this.#fixed = [...this.#fixed, makeClient(key, now())];
    this.#activate();
    return key;
  }

  #activate(): void {
    this.#active = [...this.#stored, ...this.#fixed];
    this.#hashes = this.#active.map(({ hash }) => hash);
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

  async #createRevokeError(nameOrId: string): Promise<ClientError> {
    const revoked = (await this.list()).find(
      ({ id, name }) => id === nameOrId || isSameName(name, nameOrId),
    );
    return new ClientError(
      revoked === undefined
        ? `There is no client named "${nameOrId}".`
        : `"${revoked.name}" is already revoked.`,
    );
  }

  /** One statement decides and inserts, so that two processes cannot both succeed. */
  async #insert(name: string, only: 'free-name' | 'no-client-yet'): Promise<NewClient | null> {
    const { store, now, randomBytes } = this.#options;
    const key = createLocalKey(randomBytes);
    const client: Client = {
      id: ClientId.parse(Buffer.from(randomBytes(ID_BYTES)).toString('hex')),
      name,
      createdAt: now(),
      revokedAt: null,
    };
    if (only === 'free-name' && this.#active.some((known) => isSameName(known.client.name, name))) {
      return null;
    }
    const hash = hashLocalKey(key).toString('hex');
    const taken =
      only === 'free-name'
        ? sql`select 1 from client where revoked_at is null and lower(name) = lower(${name})`
        : sql`select 1 from client`;
    const { numAffectedRows } = await sql`
      insert into client (id, name, key_hash, created_at)
      select ${client.id}, ${name}, ${hash}, ${client.createdAt} where not exists (${taken})
    `.execute(store.db);
    await this.reload();
    return numAffectedRows === 0n ? null : { client, key };
  }
}

/** Returns `null` when the text is not a SHA-256 hash. */
function parseHash(text: string): Buffer | null {
  return /^[0-9a-f]{64}$/iu.test(text) ? Buffer.from(text, 'hex') : null;
}

function parseName(name: string): string {
  const parsed = ClientName.safeParse(name);
  if (parsed.success) return parsed.data;
  throw new ClientError(
    parsed.error.issues[0]?.message ?? 'This is not a valid name for a client.',
  );
}

function nameTakenError(name: string): ClientError {
  return new ClientError(
    `A client named "${name}" already exists. Choose another name, or revoke that one first.`,
  );
}

function assertChangeable({ id }: Client): void {
  const reason = readOnlyReason(id);
  if (reason !== null) throw new ClientError(reason);
}

function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
