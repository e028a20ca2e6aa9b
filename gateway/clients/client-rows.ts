import { type Kysely, type Selectable, sql } from 'kysely';
import {
  AllowedModels,
  type Client,
  ClientId,
  type Expiry,
  LAST_TIME,
  type NewClient,
} from '../../shared/client.ts';
import { tryParseJson } from '../lib/json-object.ts';
import type { Store, Tables } from '../store/store.ts';
import { isExpired } from './expiry.ts';
import { createLocalKey, toKeyHash } from './local-key.ts';

export type ClientRow = Selectable<Tables['client']>;

export interface ClientRowsOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** A client to add. */
interface Insertion {
  readonly name: string;
  readonly expiresAt: Expiry;
  readonly onlyTemporaryKeys?: boolean;
}

const ID_BYTES = 8;
/** Replaced keys of one client that are recognised. */
const MAX_REPLACED = 10;

/** The table of the clients. Each statement decides and changes at once, so that two processes cannot both succeed. */
export class ClientRows {
  readonly #options: ClientRowsOptions;

  constructor(options: ClientRowsOptions) {
    this.#options = options;
  }

  async listActive(): Promise<readonly ClientRow[]> {
    const { db } = this.#options.store;
    return await db.selectFrom('client').selectAll().where('revoked_at', 'is', null).execute();
  }

  /** Returns the days for which the bodies of clients are kept that have a setting of their own, revoked ones too, by client. */
  async readKeepBodies(): Promise<ReadonlyMap<string, number>> {
    const { db } = this.#options.store;
    const rows = await db
      .selectFrom('client')
      .select(['id', 'keep_bodies_days as days'])
      .where('keep_bodies_days', 'is not', null)
      .execute();
    return new Map(rows.flatMap(({ id, days }) => (days === null ? [] : [[id, days]])));
  }

  /** Adds a client with a new key; `null` when its name is taken. */
  async insert(name: string, expiresAt: Expiry): Promise<NewClient | null> {
    return await this.#insertUnless(isTaken(name), { name, expiresAt });
  }

  /** Adds a client for temporary keys, unless its name is taken. Nobody learns its own key. */
  async insertForTemporaryKeys(name: string): Promise<void> {
    await this.#insertUnless(isTaken(name), { name, expiresAt: null, onlyTemporaryKeys: true });
  }

  /** Adds a client when there has never been one; otherwise `null`. */
  async insertFirst(name: string): Promise<NewClient | null> {
    return await this.#insertUnless(sql`select 1 from client`, { name, expiresAt: null });
  }

  /** Returns whether the name was free. */
  async rename(id: string, name: string): Promise<boolean> {
    const { numAffectedRows } = await sql`
      update client set name = ${name} where id = ${id} and not exists (
        select 1 from client where revoked_at is null and id <> ${id} and lower(name) = lower(${name}))
    `.execute(this.#options.store.db);
    return numAffectedRows !== 0n;
  }

  async update(
    id: string,
    change: Partial<
      Pick<ClientRow, 'revoked_at' | 'expires_at' | 'expired_at' | 'keep_bodies_days' | 'models'>
    >,
  ): Promise<void> {
    const { db } = this.#options.store;
    await db.updateTable('client').set(change).where('id', '=', id).execute();
  }

  /** Replaces the own key of a client and ends that of its connection. The hash of the old one is kept, to recognise it: the latest 10 of a client. */
  async replaceKey(id: string, key: string, expiresAt: Expiry): Promise<void> {
    const { store, now } = this.#options;
    const key_hash = toKeyHash(key);
    await store.db.transaction().execute(async (trx) => {
      await sql`insert or ignore into replaced_key (key_hash, client_id, replaced_at)
        select key_hash, id, ${Math.round(now())} from client where id = ${id}`.execute(trx);
      await sql`delete from replaced_key where key_hash in (
        select key_hash from replaced_key where client_id = ${id}
        order by replaced_at desc limit -1 offset ${MAX_REPLACED})`.execute(trx);
      await endConnectionKeys(trx, id, now());
      await trx
        .updateTable('client')
        .set({ key_hash, expires_at: expiresAt, expired_at: null, only_temporary: 0 })
        .where('id', '=', id)
        .execute();
    });
  }

  /** Ends the own key of a client, if it has this hash or the hash is `null`. Its hash is kept as that of a key that has ended. Returns whether it had that key. */
  async endOwnKey(id: string, keyHash: string | null): Promise<boolean> {
    const { store, now, randomBytes } = this.#options;
    const at = Math.round(now());
    return await store.db.transaction().execute(async (trx) => {
      const { numAffectedRows } = await sql`
        insert or ignore into temporary_key (key_hash, client_id, created_at, expires_at, ended_at)
        select key_hash, id, created_at, ${at}, ${at} from client
        where id = ${id} and revoked_at is null and only_temporary = 0 and key_hash = coalesce(${keyHash}, key_hash)
      `.execute(trx);
      if (numAffectedRows === 0n) return false;
      await trx
        .updateTable('client')
        .set({ key_hash: toKeyHash(createLocalKey(randomBytes)), only_temporary: 1 })
        .where('id', '=', id)
        .execute();
      return true;
    });
  }

  /** Records that the key was found expired, unless its expiry was changed meanwhile. */
  async markExpired(
    { id, expiresAt }: Pick<Client, 'id' | 'expiresAt'>,
    at: number,
  ): Promise<void> {
    const { db } = this.#options.store;
    await db
      .updateTable('client')
      .set({ expired_at: Math.round(at) })
      .where('id', '=', id)
      .where('expires_at', '=', expiresAt)
      .where('expired_at', 'is', null)
      .execute();
  }

  async #insertUnless(
    exists: ReturnType<typeof sql>,
    { name, expiresAt, onlyTemporaryKeys = false }: Insertion,
  ): Promise<NewClient | null> {
    const { store, now, randomBytes } = this.#options;
    const key = createLocalKey(randomBytes);
    const client: Client = {
      id: ClientId.parse(Buffer.from(randomBytes(ID_BYTES)).toString('hex')),
      name,
      createdAt: now(),
      revokedAt: null,
      expiresAt,
      expired: false,
      keepBodiesDays: null,
      models: null,
      onlyTemporaryKeys,
    };
    const hash = toKeyHash(key);
    const { numAffectedRows } = await sql`
      insert into client (id, name, key_hash, created_at, expires_at, only_temporary)
      select ${client.id}, ${name}, ${hash}, ${client.createdAt}, ${expiresAt}, ${onlyTemporaryKeys ? 1 : 0} where not exists (${exists})
    `.execute(store.db);
    return numAffectedRows === 0n ? null : { client, key };
  }
}

/** Ends the keys of a client that are valid until they are ended. */
export async function endConnectionKeys(
  db: Kysely<Tables>,
  clientId: string,
  now: number,
): Promise<void> {
  const at = Math.round(now);
  await sql`update temporary_key set ended_at = ${at}, expires_at = ${at}
    where client_id = ${clientId} and expires_at = ${LAST_TIME} and ended_at is null`.execute(db);
}

/** Selects the client that has a name. */
function isTaken(name: string): ReturnType<typeof sql> {
  return sql`select 1 from client where revoked_at is null and lower(name) = lower(${name})`;
}

/** Converts a row to its client at a Unix time in milliseconds. */
export function toClient(row: Omit<ClientRow, 'key_hash'>, now: number): Client {
  const { expires_at: expiresAt } = row;
  return {
    id: ClientId.parse(row.id),
    name: row.name,
    createdAt: row.created_at,
    revokedAt: row.revoked_at,
    expiresAt,
    expired: isExpired({ expiresAt, expired: row.expired_at !== null }, now),
    keepBodiesDays: row.keep_bodies_days,
    models: parseModels(row.models),
    onlyTemporaryKeys: row.only_temporary === 1,
  };
}

/** Parses the allowed models of a row. A damaged list allows none, because it stood for a limit. */
function parseModels(text: string | null): AllowedModels {
  if (text === null) return null;
  return AllowedModels.catch([]).parse(tryParseJson(text) ?? []);
}
