import type { Selectable } from 'kysely';
import {
  DEFAULT_VENDOR,
  type Upstream,
  type UpstreamForm,
  UpstreamId,
} from '../../shared/upstream.ts';
import { NotFoundError, UserError } from '../errors.ts';
import { CACHE_QUESTIONS } from '../proxy/proxy.ts';
import type { Store, Tables } from '../store/store.ts';

export { DEFAULT_VENDOR };
export { readCaFile } from './ca-file.ts';
export { parseForm } from './form.ts';
export { parseBaseUrl, InvalidBaseUrlError } from './base-url.ts';
export { requestModelList, ModelListTooLargeError } from './model-list.ts';
export { judgeModelList } from './judge-model-list.ts';

export interface UpstreamChoice {
  readonly baseUrl: string;
  /** Defaults to the present one, or `anthropic` for a new upstream. */
  readonly versionVendor?: string;
}

export interface UpstreamsOptions {
  readonly store: Store;
  readonly randomBytes: (size: number) => Uint8Array;
}

const ID_BYTES = 8;

/** The stored upstreams; at most one of them is active. */
export interface Upstreams {
  active(): Promise<Upstream | null>;
  /** Lists the upstreams by name. */
  list(): Promise<readonly Upstream[]>;
  /** Checks that no upstream has this address. @throws UserError */
  requireNew(baseUrl: string): Promise<void>;
  /** Adds an upstream from a parsed form, without using it. @throws UserError when its address exists already */
  add(form: UpstreamForm): Promise<Upstream>;
  /** @throws UserError, NotFoundError */
  change(id: string, form: UpstreamForm): Promise<Upstream>;
  /** Removes an upstream. Does nothing when there is none. */
  remove(id: string): Promise<void>;
  /** Makes an upstream the active one; `null` for none. @throws NotFoundError */
  activate(id: string | null): Promise<void>;
  /** Makes the upstream with this parsed base address the active one, and adds it when it is new. */
  addAndActivate(choice: UpstreamChoice): Promise<Upstream>;
  /** Deactivates the upstream with this base address. Does nothing when it is not active. */
  deactivate(baseUrl: string): Promise<void>;
  /** Saves that a service key was changed, so that a running gateway reads it again. */
  markKeyChanged(at: number): Promise<void>;
  /** Reads when a service key was last changed, Unix time in milliseconds. */
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
    async requireNew(baseUrl) {
      const row = await db
        .selectFrom('upstream')
        .select('id')
        .where('base_url', '=', baseUrl)
        .executeTakeFirst();
      if (row !== undefined) throw addressTakenError(baseUrl);
    },
    async add(form) {
      const id = Buffer.from(randomBytes(ID_BYTES)).toString('hex');
      const row = await db
        .insertInto('upstream')
        .values({ id, active: 0, ...toColumns(form) })
        .onConflict((conflict) => conflict.column('base_url').doNothing())
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) throw addressTakenError(form.baseUrl);
      return toUpstream(row);
    },
    change: (id, form) => changeUpstream(store, id, form),
    async remove(id) {
      await db.deleteFrom('upstream').where('id', '=', id).execute();
    },
    activate: (id) => activate(store, id),
    async addAndActivate(choice) {
      const id = Buffer.from(randomBytes(ID_BYTES)).toString('hex');
      return await upsertActive(store, { ...choice, id });
    },
    async deactivate(baseUrl) {
      await db.updateTable('upstream').set({ active: 0 }).where('base_url', '=', baseUrl).execute();
    },
    markKeyChanged: (at) => markKeyChanged(store, at),
    keyChangedAt: () => readKeyChangedAt(store),
  };
}

/** Parses the vendor of the version header: lower-case letters, digits and hyphens; `null` for anything else. */
export function parseVersionVendor(text: string): string | null {
  const vendor = text.trim().toLowerCase();
  return /^[a-z][a-z0-9-]{0,39}$/u.test(vendor) ? vendor : null;
}

async function upsertActive(
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
    if ((await change.executeTakeFirst()).numUpdatedRows === 0n) throw notFoundError();
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
    if (other !== undefined) throw addressTakenError(form.baseUrl);
    if (form.asksCacheReason === true) await forgetRefusedQuestions(trx, id);
    const row = await trx
      .updateTable('upstream')
      .set(toColumns(form))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst();
    if (row === undefined) throw notFoundError();
    return toUpstream(row);
  });
}

/** Forgets which models refused to say why the cache missed, if their service was not asked before. */
async function forgetRefusedQuestions(trx: Store['db'], id: string): Promise<void> {
  await trx
    .deleteFrom('rejected_parameter')
    .where('parameter', 'in', CACHE_QUESTIONS)
    .where('base_url', 'in', (from) =>
      from
        .selectFrom('upstream')
        .select('base_url')
        .where('id', '=', id)
        .where('asks_cache_reason', '=', 0),
    )
    .execute();
}

function toColumns(form: UpstreamForm) {
  return {
    name: form.name,
    base_url: form.baseUrl,
    version_vendor: form.versionVendor,
    ca_file: form.caFile,
    proxy_url: form.proxyUrl,
    ...(form.asksCacheReason === undefined
      ? {}
      : { asks_cache_reason: Number(form.asksCacheReason) }),
  };
}

function addressTakenError(baseUrl: string): UserError {
  return new UserError(`A service with the address ${baseUrl} already exists.`, 'baseUrl');
}

function notFoundError(): NotFoundError {
  return new NotFoundError('This service no longer exists.');
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
    asksCacheReason: row.asks_cache_reason === 1,
  };
}

const KEY_CHANGED_SETTING = 'service-key-changed-at';

/** Saves when a service key was changed, Unix time in milliseconds. */
async function markKeyChanged({ db }: Store, at: number): Promise<void> {
  const value = JSON.stringify(at);
  await db
    .insertInto('setting')
    .values({ key: KEY_CHANGED_SETTING, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Reads when a service key was last changed; `null` when none ever was. */
async function readKeyChangedAt({ db }: Store): Promise<number | null> {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', KEY_CHANGED_SETTING)
    .executeTakeFirst();
  return row === undefined ? null : Number(row.value);
}
