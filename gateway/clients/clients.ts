import { setTimeout as pause } from 'node:timers/promises';
import { sql } from 'kysely';
import { ClientId, ClientName } from '../../shared/client.ts';
import type { Client } from '../../shared/client.ts';
import type { Store } from '../store/store.ts';
import { findKey, hashLocalKey, isLocalKey, makeLocalKey } from './local-key.ts';

export { maskLocalKeys } from './local-key.ts';

/** What the clients need from their surroundings. */
export interface ClientsOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  /** One more local key, given by the environment and not kept. */
  readonly fixedLocalKey?: string;
}

/** A client and what it did. Times are Unix milliseconds; tokens are the sums of what was reported or estimated. */
export interface ClientSummary extends Client {
  readonly lastUsedAt: number | null;
  readonly exchanges: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** A new client with its local key, which is shown this once and kept nowhere. */
export interface NewClient {
  readonly client: Client;
  readonly key: string;
}

/** A request about clients that cannot be met. `message` is for people and holds no key. */
export class ClientRefused extends Error {
  override readonly name = 'ClientRefused';
}

/** A fixed local key that is too weak or no single word. */
export class UnusableLocalKey extends ClientRefused {}

/** Whose local key was sent; `index` says which candidate it was. */
export interface FoundClient {
  readonly client: Client;
  readonly index: number;
}

export interface Clients {
  /** The client whose local key is among the candidates. From memory, in constant time. */
  find(candidates: readonly string[]): FoundClient | null;
  /**
   * The same for a client that another process may have added a moment ago: when nobody is found and a candidate looks like a
   * local key, reads the clients again before it answers. Reads at most once in 250 ms; callers in between wait for the next time.
   */
  findFresh(candidates: readonly string[]): Promise<FoundClient | null>;
  /** Local keys known in clear, to be kept out of logs and records: the fixed one, if any. */
  secrets(): readonly string[];
  /** Adds a client. Names are unique among the clients that are not revoked, whatever the letter case. @throws ClientRefused */
  add(name: string): Promise<NewClient>;
  /** Adds "First client" when there has never been a client; otherwise `null`. */
  addFirst(): Promise<NewClient | null>;
  /** Every client, revoked ones too, oldest first. */
  list(): Promise<readonly ClientSummary[]>;
  /** Revokes the client of this name or id from now on. @throws ClientRefused when there is none. */
  revoke(nameOrId: string): Promise<Client>;
  /** Reads the clients again after another process changed them. */
  reload(): Promise<void>;
}

const ID_BYTES = 8;
const FRESH_MS = 250;
const SHORTEST_FIXED_KEY = 16;
const UNUSED = { lastUsedAt: null, exchanges: 0, inputTokens: 0, outputTokens: 0 };
/** The client of the fixed local key. */
export const FIXED_CLIENT_NAME = 'Environment';
const FIXED_ID = ClientId.parse('environment');

/** @throws UnusableLocalKey when the fixed local key is too weak or no single word. */
export async function openClients(options: ClientsOptions): Promise<Clients> {
  const clients = new StoredClients(options);
  await clients.reload();
  return clients;
}

class StoredClients implements Clients {
  readonly #options: ClientsOptions;
  readonly #fixed: readonly KnownClient[];
  #active: readonly KnownClient[] = [];
  #hashes: readonly Buffer[] = [];
  /** Monotonic milliseconds of the last look for a client that was not known. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #nextLook: Promise<void> | null = null;

  constructor(options: ClientsOptions) {
    this.#options = options;
    this.#fixed = fixedClient(options);
  }

  find(candidates: readonly string[]) {
    const found = findKey(candidates, this.#hashes);
    const known = found === null ? undefined : this.#active[found.hash];
    return found === null || known === undefined
      ? null
      : { client: known.client, index: found.candidate };
  }

  async findFresh(candidates: readonly string[]) {
    const found = this.find(candidates);
    if (found !== null || !candidates.some(isLocalKey)) {
      return found;
    }
    this.#nextLook ??= this.#lookAgain();
    await this.#nextLook;
    return this.find(candidates);
  }

  secrets(): readonly string[] {
    const { fixedLocalKey } = this.#options;
    return fixedLocalKey === undefined ? [] : [fixedLocalKey];
  }

  async add(name: string): Promise<NewClient> {
    const parsed = ClientName.safeParse(name);
    if (!parsed.success) {
      throw new ClientRefused(parsed.error.issues[0]?.message ?? 'This is no name for a client.');
    }
    const added = await this.#insert(parsed.data, 'free-name');
    if (added === null) {
      throw new ClientRefused(
        `There is a client named "${parsed.data}" already. Choose another name, or revoke that one first.`,
      );
    }
    return added;
  }

  async addFirst(): Promise<NewClient | null> {
    return await this.#insert('First client', 'no-client-yet');
  }

  async list(): Promise<readonly ClientSummary[]> {
    return await listClients(this.#options.store);
  }

  async revoke(nameOrId: string): Promise<Client> {
    const wanted = nameOrId.trim().toLowerCase();
    const known = this.#active.find(
      ({ client }) => client.id === nameOrId || client.name.toLowerCase() === wanted,
    );
    if (known === undefined) {
      throw await this.#nobodyToRevoke(nameOrId.trim());
    }
    if (known.client.id === FIXED_ID) {
      throw new ClientRefused(
        'This local key comes from the environment. Start Gatehouse without GATEHOUSE_LOCAL_KEY to end it.',
      );
    }
    const revokedAt = this.#options.now();
    await this.#options.store.db
      .updateTable('client')
      .set({ revoked_at: revokedAt })
      .where('id', '=', known.client.id)
      .execute();
    await this.reload();
    return { ...known.client, revokedAt };
  }

  async reload(): Promise<void> {
    const rows = await this.#options.store.db
      .selectFrom('client')
      .selectAll()
      .where('revoked_at', 'is', null)
      .execute();
    const stored = rows.map((row) => ({
      client: toClient(row),
      hash: Buffer.from(row.key_hash, 'hex'),
    }));
    this.#active = [...stored, ...this.#fixed];
    this.#hashes = this.#active.map(({ hash }) => hash);
  }

  /** Whoever comes while it reads needs a later look: what was added meanwhile may be missing from this one. */
  async #lookAgain(): Promise<void> {
    await pause(Math.max(0, this.#lookedAt + FRESH_MS - performance.now()));
    this.#nextLook = null;
    this.#lookedAt = performance.now();
    await this.reload();
  }

  async #nobodyToRevoke(nameOrId: string): Promise<ClientRefused> {
    const revoked = (await this.list()).find(
      ({ id, name }) => id === nameOrId || sameName(name, nameOrId),
    );
    return new ClientRefused(
      revoked === undefined
        ? `There is no client named "${nameOrId}".`
        : `"${revoked.name}" is revoked already.`,
    );
  }

  /** One statement decides and inserts, so that two processes cannot both succeed. */
  async #insert(name: string, only: 'free-name' | 'no-client-yet'): Promise<NewClient | null> {
    const { store, now, randomBytes } = this.#options;
    const key = makeLocalKey(randomBytes);
    const client: Client = {
      id: ClientId.parse(Buffer.from(randomBytes(ID_BYTES)).toString('hex')),
      name,
      createdAt: now(),
      revokedAt: null,
    };
    if (only === 'free-name' && this.#active.some((known) => sameName(known.client.name, name))) {
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

interface KnownClient {
  readonly client: Client;
  readonly hash: Buffer;
}

function fixedClient({ fixedLocalKey, now }: ClientsOptions): readonly KnownClient[] {
  if (fixedLocalKey === undefined) {
    return [];
  }
  if (!/^[\x21-\x7e]+$/u.test(fixedLocalKey) || fixedLocalKey.length < SHORTEST_FIXED_KEY) {
    throw new UnusableLocalKey(
      `GATEHOUSE_LOCAL_KEY needs at least ${SHORTEST_FIXED_KEY} visible ASCII characters without spaces.`,
    );
  }
  const client = { id: FIXED_ID, name: FIXED_CLIENT_NAME, createdAt: now(), revokedAt: null };
  return [{ client, hash: hashLocalKey(fixedLocalKey) }];
}

async function listClients({ db }: Store): Promise<readonly ClientSummary[]> {
  const clients = await db.selectFrom('client').selectAll().orderBy('created_at').execute();
  const sums = await db
    .selectFrom('exchange')
    .select((row) => [
      'client_id',
      row.fn.max('started_at').as('lastUsedAt'),
      row.fn.countAll<number>().as('exchanges'),
      // `total` never overflows, whatever a service once claimed.
      sql<number>`total(usage_input)`.as('inputTokens'),
      sql<number>`total(usage_output)`.as('outputTokens'),
    ])
    .groupBy('client_id')
    .execute();
  const sumsById = new Map(sums.map(({ client_id: id, ...sum }) => [id, sum]));
  return clients.map((row) => ({ ...toClient(row), ...(sumsById.get(row.id) ?? UNUSED) }));
}

function toClient(row: {
  readonly id: string;
  readonly name: string;
  readonly created_at: number;
  readonly revoked_at: number | null;
}): Client {
  return {
    id: ClientId.parse(row.id),
    name: row.name,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
  };
}

function sameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
