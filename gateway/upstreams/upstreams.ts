import type { Selectable } from 'kysely';
import {
  DEFAULT_VENDOR,
  type Upstream,
  type UpstreamForm,
  UpstreamId,
} from '../../shared/upstream.ts';
import { NotFound, Refused } from '../refused.ts';
import type { Store, Tables } from '../store/store.ts';
import { keyChangedAt, markKeyChanged } from './key-mark.ts';

export { DEFAULT_VENDOR };
export { readCaFile } from './ca-file.ts';
export { readForm } from './form.ts';
export { readBaseUrl, UnusableBaseUrl } from './base-url.ts';
export { askModelList, ModelListTooLarge } from './model-list.ts';

export interface UpstreamChoice {
  readonly baseUrl: string;
  /** Left as it is (or `anthropic` for a new one) when absent. */
  readonly versionVendor?: string;
}

export interface UpstreamsOptions {
  readonly store: Store;
  readonly randomBytes: (size: number) => Uint8Array;
}

const ID_BYTES = 8;

/** The services in the store; at most one of them is active. */
export interface Upstreams {
  active(): Promise<Upstream | null>;
  /** In the order of their names. */
  list(): Promise<readonly Upstream[]>;
  /** Keeps a service as `readForm` gives it, without using it. @throws Refused when its address is there already. */
  add(form: UpstreamForm): Promise<Upstream>;
  /** @throws Refused, NotFound */
  change(id: string, form: UpstreamForm): Promise<Upstream>;
  /** Does nothing when it is not there. */
  remove(id: string): Promise<void>;
  /** Makes this service the active one; `null` for none. @throws NotFound */
  activate(id: string | null): Promise<void>;
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
    async list() {
      const rows = await db
        .selectFrom('upstream')
        .selectAll()
        .orderBy('name')
        .orderBy('id')
        .execute();
      return rows.map(toUpstream);
    },
    async add(form) {
      const id = Buffer.from(randomBytes(ID_BYTES)).toString('hex');
      const row = await db
        .insertInto('upstream')
        .values({ id, active: 0, ...columnsOf(form) })
        .onConflict((conflict) => conflict.column('base_url').doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw addressTaken(form.baseUrl);
      return toUpstream(row);
    },
    change: (id, form) => changeUpstream(store, id, form),
    async remove(id) {
      await db.deleteFrom('upstream').where('id', '=', id).execute();
    },
    activate: (id) => activate(store, id),
    async use(choice) {
      const id = Buffer.from(randomBytes(ID_BYTES)).toString('hex');
      return await useUpstream(store, { ...choice, id });
    },
    async leave(baseUrl) {
      await db.updateTable('upstream').set({ active: 0 }).where('base_url', '=', baseUrl).execute();
    },
    markKeyChanged: (at) => markKeyChanged(store, at),
    keyChangedAt: () => keyChangedAt(store),
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

async function activate({ db }: Store, id: string | null): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await trx.updateTable('upstream').set({ active: 0 }).where('active', '=', 1).execute();
    if (id === null) return;
    const change = trx.updateTable('upstream').set({ active: 1 }).where('id', '=', id);
    if ((await change.executeTakeFirst()).numUpdatedRows === 0n) throw notThere();
  });
}

async function changeUpstream({ db }: Store, id: string, form: UpstreamForm): Promise<Upstream> {
  return await db.transaction().execute(async (trx) => {
    const other = await trx
      .selectFrom('upstream')
      .select('id')
      .where('base_url', '=', form.baseUrl)
      .where('id', '<>', id)
      .executeTakeFirst();
    if (other !== undefined) throw addressTaken(form.baseUrl);
    const row = await trx
      .updateTable('upstream')
      .set(columnsOf(form))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw notThere();
    return toUpstream(row);
  });
}

function columnsOf(form: UpstreamForm) {
  return {
    name: form.name,
    base_url: form.baseUrl,
    version_vendor: form.versionVendor,
    ca_file: form.caFile,
    proxy_url: form.proxyUrl,
  };
}

function addressTaken(baseUrl: string): Refused {
  return new Refused(`There is a service with the address ${baseUrl} already.`, 'baseUrl');
}

function notThere(): NotFound {
  return new NotFound('This service is not there any more.');
}

function toUpstream(row: Selectable<Tables['upstream']>): Upstream {
  return {
    id: UpstreamId.parse(row.id),
    kind: 'service',
    name: row.name,
    baseUrl: row.base_url,
    versionVendor: row.version_vendor ?? DEFAULT_VENDOR,
    caFile: row.ca_file,
    proxyUrl: row.proxy_url,
    active: row.active === 1,
  };
}
