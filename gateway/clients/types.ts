import type {
  AllowedModels,
  Client,
  ClientSummary,
  Expiry,
  KeepBodies,
  NewClient,
} from '../../shared/client.ts';
import type { UsageScope } from '../../shared/history/history.ts';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';
import type { OwnClient } from './in-memory-clients.ts';
import type { RetiredKey } from './retired-keys.ts';

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
  /** The project that the program with this key works on; `null` when it is not known. */
  readonly project: string | null;
}

export interface Clients {
  /** Finds the client whose local key is among the candidates: in memory, in constant time. */
  find(candidates: readonly string[]): ClientMatch | null;
  /**
   * Finds also a client that another process may have added a moment ago: when no client matches and a candidate looks like a
   * local key, reads the clients again first. Reads at most once in 250 ms; callers in between wait for the next read.
   */
  findUncached(candidates: readonly string[]): Promise<ClientMatch | null>;
  /** Finds the key among the candidates that worked until it was revoked or replaced, or ended: in memory, in constant time. */
  findRetired(candidates: readonly string[]): RetiredKey | null;
  /**
   * Returns whether the client's key has expired at a Unix time in milliseconds. A key that was found expired stays so, also
   * after a restart and when the clock is set back.
   */
  hasExpired(client: Client, at: number): boolean;
  /** Lists the clients whose stored key hash is damaged, so that no key matches them. */
  listDamaged(): readonly Client[];
  /** Local keys that are known in plain text and must be masked in logs and records: the fixed one, if any. */
  secrets(): readonly string[];
  /** Adds a client. Names are unique among the clients that are not revoked, regardless of case. @throws ClientError */
  add(name: string, expiresAt?: Expiry): Promise<NewClient>;
  /** Adds "First client" when there has never been a client; otherwise `null`. */
  addFirst(): Promise<NewClient | null>;
  /**
   * Lists every client with its totals, by default those of the services, revoked ones too, oldest first; then those that
   * Gatehouse itself defines, and the callers without a valid key, if there are any. With `unused` the chat and the video queue
   * are listed in any case.
   */
  list(scope?: UsageScope, unused?: boolean): Promise<readonly ClientSummary[]>;
  /** Revokes the client with this name or id from now on. @throws ClientError when there is none. */
  revoke(nameOrId: string): Promise<Client>;
  /** Renames a client. @throws ClientError, NotFoundError */
  rename(id: string, name: string): Promise<void>;
  /** Replaces the local key of a client; the old key is invalid at once. @throws ClientError, NotFoundError */
  renew(id: string, expiresAt: Expiry): Promise<NewClient>;
  /**
   * Adds a local key that is valid beside the one of the client with this name, for so many milliseconds; adds the client when
   * there is none. `project`: what the program with this key works on, as in `Sender`.
   * @throws ClientError when the name is not valid, when the client has expired, and when there are too many such keys
   */
  addTemporaryKey(name: string, lastsMs: number, project?: string | null): Promise<NewClient>;
  /** Ends a temporary key. Does nothing when it has ended. */
  removeTemporaryKey(key: string): Promise<void>;
  /**
   * Adds a local key for a connection, which is valid beside the own one of the client with this id until it is ended or the
   * client gets a new key. Ends an earlier one. @throws ClientError, NotFoundError
   */
  addConnectionKey(id: string): Promise<NewClient>;
  /**
   * Ends a key of the client with this id by its hash (`toKeyHash`), or its own key with `null`. The client stays, with its limits
   * and its other keys. Returns whether it had such a key.
   */
  endKey(id: string, keyHash: string | null): Promise<boolean>;
  /** Returns whether the key with this hash is valid for the client with this id: in memory. */
  hasKey(id: string, keyHash: string): boolean;
  /**
   * Changes when the key of the client with this name or id expires. An expired key works again until then.
   * @throws ClientError when there is none.
   */
  setExpiry(nameOrId: string, expiresAt: Expiry): Promise<Client>;
  /**
   * Changes for how many days the requests and responses of the client with this name or id are kept.
   * @throws ClientError when there is none.
   */
  setKeepBodies(nameOrId: string, days: KeepBodies): Promise<Client>;
  /**
   * Changes which models the client with this name or id may use.
   * @throws ClientError when there is none, and for patterns that are not valid.
   */
  setModels(nameOrId: string, models: AllowedModels): Promise<Client>;
  /** Returns the days for which bodies are kept by the ids of the clients that have a setting of their own, revoked ones too. */
  keepBodies(): ReadonlyMap<string, number>;
  /** Returns the local key of a client of Gatehouse itself, creating it at the first call. It is in memory only. */
  ownKey(own: OwnClient): string;
  /** Reads the clients again after another process changed them. */
  reload(): Promise<void>;
  /** Calls the listener when clients were added, removed or changed. Returns a function that removes the listener. */
  on(listener: () => void): () => void;
}
