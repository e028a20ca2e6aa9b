import type { Store, Tables } from '../store/store.ts';
import type { Selectable } from 'kysely';

export { readBaseUrl, UnusableBaseUrl } from './base-url.ts';
export { askModelList } from './model-list.ts';

/** One configured service. */
export interface Upstream {
  readonly id: string;
  readonly name: string;
  /** As `readBaseUrl` gives it. */
  readonly baseUrl: string;
  /** The vendor in the `<vendor>-version` header of the Messages protocol (spec section 9). */
  readonly versionVendor: string;
}

export interface UpstreamChoice {
  readonly baseUrl: string;
  /** Left as it is (or `anthropic` for a new one) when absent. */
  readonly versionVendor?: string;
}

export interface UpstreamsOptions {
  readonly store: Store;
  readonly randomBytes: (size: number) => Uint8Array;
}

/** The vendor of the public Messages protocol. */
export const DEFAULT_VENDOR = 'anthropic';

const ID_BYTES = 8;
const KEY_CHANGED = 'service-key-changed-at';

/** The services in the store; at most one of them is active. */
export interface Upstreams {
  active(): Promise<Upstream | null>;
  /** Makes the service with this base address (as `readBaseUrl` gives it) the active one, adding it when it is new. */
  use(choice: UpstreamChoice): Promise<Upstream>;
  /** Uses the service with this base address no longer; does nothing when it is not the active one. */
  leave(baseUrl: string): Promise<void>;
  /** Notes that a service key was kept or removed, so that a gateway running on the same data folder looks again. */
  markKeyChanged(at: number): Promise<void>;
  /** When a service key was last kept or removed, Unix time in milliseconds. */
  keyChangedAt(): Promise<number | null>;
}

export function openUpstreams({ store, randomBytes }: UpstreamsOptions): Upstreams {
  const { db } = store;
  return {
    async active() {
      const row = await db
        .selectFrom('upstream')
        .selectAll()
        .where('active', '=', 1)
        .executeTakeFirst();
      return row === undefined ? null : toUpstream(row);
    },
    async use(choice) {
      const id = Buffer.from(randomBytes(ID_BYTES)).toString('hex');
      return await useUpstream(store, { ...choice, id });
    },
    async leave(baseUrl) {
      await db.updateTable('upstream').set({ active: 0 }).where('base_url', '=', baseUrl).execute();
    },
    async markKeyChanged(at) {
      const value = JSON.stringify(at);
      await db
        .insertInto('setting')
        .values({ key: KEY_CHANGED, value })
        .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
        .execute();
    },
    async keyChangedAt() {
      const row = await db
        .selectFrom('setting')
        .select('value')
        .where('key', '=', KEY_CHANGED)
        .executeTakeFirst();
      return row === undefined ? null : Number(row.value);
    },
  };
}

/** Reads the vendor of the version header: lower-case letters, digits and hyphens. `null` when it cannot be one. */
export function readVendor(text: string): string | null {
  const vendor = text.trim().toLowerCase();
  return /^[a-z][a-z0-9-]{0,39}$/u.test(vendor) ? vendor : null;
}

async function useUpstream(
  store: Store,
  choice: UpstreamChoice & { readonly id: string },
): Promise<Upstream> {
  return await store.db.transaction().execute(async (db) => {
    await db.updateTable('upstream').set({ active: 0 }).where('active', '=', 1).execute();
    const vendor = choice.versionVendor;
    const row = await db
      .insertInto('upstream')
      .values({
        id: choice.id,
        name: new URL(choice.baseUrl).host,
        base_url: choice.baseUrl,
        version_vendor: vendor ?? DEFAULT_VENDOR,
        active: 1,
      })
      .onConflict((conflict) =>
        conflict
          .column('base_url')
          .doUpdateSet(
            vendor === undefined ? { active: 1 } : { active: 1, version_vendor: vendor },
          ),
      )
      .returningAll()
      .executeTakeFirstOrThrow();
    return toUpstream(row);
  });
}

function toUpstream(row: Selectable<Tables['upstream']>): Upstream {
  return {
    id: row.id,
    name: row.name,
    baseUrl: row.base_url,
    versionVendor: row.version_vendor ?? DEFAULT_VENDOR,
  };
}
