import { isDeepStrictEqual } from 'node:util';
import type { Upstream } from '../../shared/upstream.ts';
import type { InTurn } from '../in-turn.ts';
import type { KeyRing } from './key-ring.ts';
import type { Links } from './links.ts';
import type { Changed } from './live.ts';
import type { Rooms } from '../rooms.ts';
import type { SettingControl } from './setting-control.ts';

export interface InStepOptions {
  readonly rooms: Rooms;
  readonly ring: KeyRing;
  readonly links: Links;
  readonly settings: SettingControl;
  /** Whether this run keeps to the upstream it began with. */
  readonly pinned: boolean;
  readonly inTurn: InTurn;
  readonly onChange: (what: Changed) => void;
}

/** Takes over what other processes change in the data folder: clients, keys, settings, upstreams and which of them is in use. */
export class InStep {
  readonly #options: InStepOptions;
  #keyChangedAt: number | null;
  #stored: readonly Upstream[] = [];

  constructor(options: InStepOptions) {
    this.#options = options;
    this.#keyChangedAt = options.rooms.keyChangedAt;
  }

  /** Looks once, for what happened since the rooms were opened, and then whenever the database says so. Returns what stops it. */
  async keep(): Promise<() => void> {
    const { store, upstreams } = this.#options.rooms;
    this.#stored = await upstreams.list();
    const stop = store.onOutsideChange(() => void this.#look());
    await this.#look();
    return stop;
  }

  async #look(): Promise<void> {
    const { rooms, settings, inTurn } = this.#options;
    try {
      await rooms.clients.reload();
      await this.#lookForKeys();
      await settings.reload();
      await inTurn(() => this.#lookForUpstreams());
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'no reason given';
      rooms.host.log('warn', `Changes from another process could not be taken over: ${reason}`);
    }
  }

  async #lookForKeys(): Promise<void> {
    const { rooms, ring } = this.#options;
    const at = await rooms.upstreams.keyChangedAt();
    if (at !== this.#keyChangedAt) await ring.reload();
    this.#keyChangedAt = at;
  }

  async #lookForUpstreams(): Promise<void> {
    const { rooms, links, pinned, onChange } = this.#options;
    const before = this.#stored;
    const now = await rooms.upstreams.list();
    if (isDeepStrictEqual(now, before)) return;
    this.#stored = now;
    onChange('upstreams');
    const active = activeIn(now);
    // What this run was told to use stays. So does a service that is merely left: clients must not get made-up answers unasked.
    if (pinned || active === undefined || isDeepStrictEqual(active, activeIn(before))) return;
    const { upstream } = links.current;
    if (!isDeepStrictEqual({ ...active, active: true }, { ...upstream, active: true })) {
      await links.use(active);
    }
  }
}

function activeIn(upstreams: readonly Upstream[]): Upstream | undefined {
  return upstreams.find(({ active }) => active);
}
