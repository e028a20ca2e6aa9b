import type { Mutex } from 'async-mutex';
import { isDeepStrictEqual } from 'node:util';
import type { Upstream } from '../../../shared/upstream.ts';
import type { KeyRing } from '../../upstreams/key-ring.ts';
import type { ConnectionPool } from '../../upstreams/connection-pool.ts';
import type { UpstreamSessions } from '../../upstreams/upstream-sessions.ts';
import type { ChangedTopic } from '../live-event-broadcaster.ts';
import type { Repositories } from '../../repositories.ts';
import type { SettingsController } from './settings-controller.ts';

export interface ExternalChangeSyncOptions {
  readonly repositories: Repositories;
  readonly keyRing: KeyRing;
  readonly sessions: UpstreamSessions;
  readonly pool: ConnectionPool;
  readonly settings: SettingsController;
  /** Whether the upstream is fixed in this run. */
  readonly pinned: boolean;
  readonly mutex: Mutex;
  readonly onChange: (topic: ChangedTopic) => void;
}

/** Applies the changes that other processes make in the data folder: clients, keys, prices, aliases, settings, upstreams and which of them is in use. */
export class ExternalChangeSync {
  readonly #options: ExternalChangeSyncOptions;
  #keyChangedAt: number | null;
  #stored: readonly Upstream[] = [];

  constructor(options: ExternalChangeSyncOptions) {
    this.#options = options;
    this.#keyChangedAt = options.repositories.keyChangedAt;
  }

  /** Syncs once, for changes since the repositories were opened, and then after each change of the database. Returns the function that stops it. */
  async start(): Promise<() => void> {
    const { store, upstreams } = this.#options.repositories;
    this.#stored = await upstreams.list();
    const stop = store.onExternalChange(() => void this.#sync());
    await this.#sync();
    return stop;
  }

  async #sync(): Promise<void> {
    const { repositories, settings, mutex } = this.#options;
    try {
      await repositories.clients.reload();
      await this.#syncKeys();
      await repositories.prices.reload();
      await repositories.aliases.reload();
      await settings.reload();
      await (await repositories.openSpendLimits()).reload();
      await mutex.runExclusive(() => this.#syncUpstreams());
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'no reason given';
      repositories.host.log('warn', `Changes from another process could not be loaded: ${reason}`);
    }
  }

  async #syncKeys(): Promise<void> {
    const { repositories, keyRing } = this.#options;
    const at = await repositories.upstreams.keyChangedAt();
    if (at !== this.#keyChangedAt) await keyRing.reload();
    this.#keyChangedAt = at;
  }

  async #syncUpstreams(): Promise<void> {
    const { repositories, sessions, pool, pinned, onChange } = this.#options;
    const before = this.#stored;
    const now = await repositories.upstreams.list();
    if (isDeepStrictEqual(now, before)) return;
    this.#stored = now;
    const changed = before.filter((old) => !now.some((one) => isDeepStrictEqual(one, old)));
    for (const { baseUrl } of changed) pool.retire(baseUrl);
    onChange('upstreams');
    const active = findActive(now);
    // An upstream that is fixed for this run stays. So does one that is only deactivated, because clients must not get answers of the sandbox unexpectedly.
    if (pinned || active === undefined || isDeepStrictEqual(active, findActive(before))) return;
    const { upstream } = sessions.current;
    if (!isDeepStrictEqual({ ...active, active: true }, { ...upstream, active: true })) {
      await sessions.activate(active);
    }
  }
}

function findActive(upstreams: readonly Upstream[]): Upstream | undefined {
  return upstreams.find(({ active }) => active);
}
