import { sql } from 'kysely';
import { type Client, LAST_TIME } from '../../shared/client.ts';
import { ClientError } from './client-error.ts';
import { type ClientRowsOptions, endConnectionKeys } from './client-rows.ts';
import type { ClientWithHash } from './in-memory-clients.ts';
import { createLocalKey, parseHash, toKeyHash } from './local-key.ts';

/** Maximum of valid temporary keys of one client: each is compared with the keys of every request. */
const MAX_KEYS = 200;
/** Maximum of ended keys that are recognised, latest first. */
const MAX_ENDED = 200;

/** Local keys that are valid beside the one of their client: for a time, for programs that were started with one; or until it is ended, for a connection. */
export class TemporaryKeys {
  readonly #options: ClientRowsOptions;

  constructor(options: ClientRowsOptions) {
    this.#options = options;
  }

  /**
   * Adds a key of a client for so many milliseconds; with `null` one until it is ended, and ends an earlier one of that kind. `project`: as in `Sender`; `null` when it is not known.
   * @throws ClientError when the client has expired, and when there are too many
   */
  async add(
    { id, name, expired }: Client,
    lastsMs: number | null,
    project: string | null,
  ): Promise<string> {
    if (expired) {
      throw new ClientError(
        `The key of “${name}” has expired, and another would be refused. Change its expiry first.`,
      );
    }
    const { store, now, randomBytes } = this.#options;
    const key = createLocalKey(randomBytes);
    const at = Math.round(now());
    const until = lastsMs === null ? LAST_TIME : at + Math.round(lastsMs);
    await this.markEnded();
    if (lastsMs === null) await endConnectionKeys(store.db, id, at);
    // One statement, so that processes at the same moment do not exceed the maximum together.
    const { numAffectedRows } = await sql`
      insert into temporary_key (key_hash, client_id, created_at, expires_at, project)
      select ${toKeyHash(key)}, ${id}, ${at}, ${until}, ${project}
      where (select count(*) from temporary_key where client_id = ${id} and ended_at is null and expires_at < ${LAST_TIME}) < ${lastsMs === null ? LAST_TIME : MAX_KEYS}
    `.execute(store.db);
    if (numAffectedRows === 0n) {
      throw new ClientError(
        `This client has ${MAX_KEYS} temporary keys. Wait until some end, or give them a shorter time.`,
      );
    }
    return key;
  }

  /** Ends the key with a hash. Returns whether it was valid. */
  async end(hash: string): Promise<boolean> {
    const { db } = this.#options.store;
    const at = Math.round(this.#options.now());
    const { numUpdatedRows } = await db
      .updateTable('temporary_key')
      // An older program reads only the time at which the key expires.
      .set({ ended_at: at, expires_at: at, project: null })
      .where('key_hash', '=', hash)
      .where('ended_at', 'is', null)
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  }

  /** Returns the keys of these clients. Those that have expired are marked as ended, so that setting the clock back does not revive them. */
  async list(clients: readonly Client[]): Promise<readonly ClientWithHash[]> {
    const { store, now } = this.#options;
    const all = await store.db
      .selectFrom('temporary_key')
      .selectAll()
      .where('ended_at', 'is', null)
      .execute();
    const rows = all.filter(({ expires_at }) => expires_at > now());
    const byId = new Map<string, Client>(clients.map((client) => [client.id, client]));
    if (rows.length < all.length || rows.some(({ client_id }) => !byId.has(client_id)))
      await this.markEnded();
    return rows.flatMap(({ client_id, key_hash, expires_at, project }) => {
      const client = byId.get(client_id);
      const hash = parseHash(key_hash);
      if (client === undefined || hash === null) return [];
      return [{ client, hash, until: expires_at, ...(project === null ? {} : { project }) }];
    });
  }

  /** Marks the keys that have expired, and those of revoked clients, as ended for good, and deletes all but the latest of those. */
  async markEnded(): Promise<void> {
    const { store, now } = this.#options;
    const at = Math.round(now());
    await sql`
      update temporary_key set ended_at = min(expires_at, ${at}), expires_at = min(expires_at, ${at}), project = null
      where ended_at is null
        and (expires_at <= ${at} or client_id in (select id from client where revoked_at is not null))
    `.execute(store.db);
    await sql`
      delete from temporary_key where key_hash in (
        select key_hash from temporary_key where ended_at is not null
        order by ended_at desc limit -1 offset ${MAX_ENDED})
    `.execute(store.db);
  }
}
