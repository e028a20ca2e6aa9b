import type { Mutex } from 'async-mutex';
import { isDeepStrictEqual } from 'node:util';
import type { Upstream } from '../../shared/upstream.ts';
import type { KeyRing } from '../upstreams/key-ring.ts';
import type { UpstreamSessions } from '../upstreams/upstream-sessions.ts';
import type { ChangedTopic } from './live-events.ts';
import type { Repositories } from '../repositories.ts';
import type { SettingsController } from './settings-control.ts';

export interface ExternalChangeSyncOptions {
  readonly repositories: Repositories;
  readonly keyRing: KeyRing;
  readonly sessions: UpstreamSessions;
  readonly settings: SettingsController;
  /** Whether this run keeps to the upstream it began with. */
  readonly locked: boolean;
  readonly mutex: Mutex;
  readonly onChange: (what: ChangedTopic) => void;
}

/** Takes over what other processes change in the data folder: clients, keys, settings, upstreams and which of them is in use. */
export class ExternalChangeSync {
  readonly #options: ExternalChangeSyncOptions;
  #keyChangedAt: number | null;
  #stored: readonly Upstream[] = [];

  constructor(options: ExternalChangeSyncOptions) {
    this.#options = options;
    this.#keyChangedAt = options.repositories.keyChangedAt;
  }

  /** Looks once, for what happened since the rooms were opened, and then whenever the database says so. Returns what stops it. */
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
      await settings.reload();
      await mutex.runExclusive(() => this.#syncUpstreams());
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'no reason given';
      repositories.host.log(
        'warn',
        `Changes from another process could not be taken over: ${reason}`,
      );
    }
  }

  async #syncKeys(): Promise<void> {
    const { repositories, keyRing } = this.#options;
    const at = await repositories.upstreams.keyChangedAt();
    if (at !== this.#keyChangedAt) await keyRing.reload();
    this.#keyChangedAt = at;
  }

  async #syncUpstreams(): Promise<void> {
    const { repositories, sessions, locked, onChange } = this.#options;
    const before = this.#stored;
    const now = await repositories.upstreams.list();
    if (isDeepStrictEqual(now, before)) return;
    this.#stored = now;
    onChange('upstreams');
    const active = findActive(now);
    // What this run was told to use stays. So does a service that is merely left: clients must not get made-up answers unasked.
    if (locked || active === undefined || isDeepStrictEqual(active, findActive(before))) return;
    const { upstream } = sessions.current;
    if (!isDeepStrictEqual({ ...active, active: true }, { ...upstream, active: true })) {
      await sessions.activate(active);
    }
  }
}

function findActive(upstreams: readonly Upstream[]): Upstream | undefined {
  return upstreams.find(({ active }) => active);
}
