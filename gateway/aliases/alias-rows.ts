import { sql, type Transaction } from 'kysely';
import { foldCase } from '../../shared/fold-case.ts';
import { AliasId, ModelAlias, type NewProfile, Profile } from '../../shared/model-alias.ts';
import { UserError } from '../errors.ts';
import type { Log } from '../host.ts';
import type { Store, Tables } from '../store/store.ts';

/** Each is compared with the models of requests. */
const MAX_ALIASES = 200;
const MAX_PROFILES = 50;

/** Reads the aliases and profiles. A damaged one is logged and left out. */
export async function readRows(
  { db }: Store,
  log: Log,
): Promise<{ readonly aliases: readonly ModelAlias[]; readonly profiles: readonly Profile[] }> {
  const aliasRows = await db
    .selectFrom('model_alias')
    .leftJoin('profile', 'profile.folded', 'model_alias.profile')
    .select(['id', 'model_alias.profile as folded_profile', 'profile.name as profile'])
    .select(['client_id as clientId', 'model_alias.name as name', 'model', 'effort'])
    .orderBy('profile.folded')
    .orderBy('model_alias.folded')
    .orderBy('id')
    .execute();
  const aliases: ModelAlias[] = [];
  for (const { folded_profile: folded, ...row } of aliasRows) {
    const alias = ModelAlias.safeParse(row);
    // An alias of a profile must not hold always because its profile is missing.
    if (alias.success && (folded === null) === (row.profile === null)) aliases.push(alias.data);
    else log('warn', `The alias ${row.id} is damaged, so it does not hold.`);
  }
  const profileRows = await db
    .selectFrom('profile')
    .select(['name', 'upstream_id as upstreamId', 'used'])
    .orderBy('folded')
    .execute();
  const profiles: Profile[] = [];
  for (const row of profileRows) {
    const profile = Profile.safeParse({ ...row, used: row.used === 1 });
    if (profile.success) profiles.push(profile.data);
    else log('warn', `The profile ${row.name} is damaged, so it cannot be used.`);
  }
  return { aliases, profiles };
}

/** Adds an alias, or changes the one of the same profile, client and name. Returns its id. @throws UserError when there are too many */
export async function upsertAlias(
  store: Store,
  { id, profile, clientId, name, model, effort }: ModelAlias,
  at: number,
): Promise<AliasId> {
  return await store.db.transaction().execute(async (trx) => {
    if (profile !== null) await addProfile(trx, { name: profile, upstreamId: null }, at);
    const folded = profile === null ? null : foldCase(profile);
    const foldedName = foldCase(name);
    // One statement, so that processes at the same moment do not exceed the maximum together.
    const { rows } = await sql<{ id: string }>`
      insert into model_alias (id, profile, client_id, folded, name, model, effort, created_at)
      select ${id}, ${folded}, ${clientId}, ${foldedName}, ${name}, ${model}, ${effort}, ${at}
      where (select count(*) from model_alias) < ${MAX_ALIASES} or exists (
        select 1 from model_alias where profile is ${folded} and client_id is ${clientId} and folded = ${foldedName})
      on conflict (coalesce(profile, ''), coalesce(client_id, ''), folded)
      do update set name = excluded.name, model = excluded.model, effort = excluded.effort
      returning id
    `.execute(trx);
    const [stored] = rows;
    if (stored === undefined) {
      throw new UserError(`There may be ${MAX_ALIASES} aliases. Remove some first.`);
    }
    return AliasId.parse(stored.id);
  });
}

/** Adds a profile, or changes the upstream of the one of this name. @throws UserError when there are too many */
export async function upsertProfile(store: Store, profile: NewProfile, at: number): Promise<void> {
  await store.db.transaction().execute(async (trx) => {
    await addProfile(trx, profile, at);
    await trx
      .updateTable('profile')
      .set({ upstream_id: profile.upstreamId })
      .where('folded', '=', foldCase(profile.name))
      .execute();
  });
}

/** Adds a profile unless there is one of this name. @throws UserError when there are too many */
async function addProfile(
  trx: Transaction<Tables>,
  { name, upstreamId }: NewProfile,
  at: number,
): Promise<void> {
  const folded = foldCase(name);
  await sql`
    insert or ignore into profile (folded, name, upstream_id, created_at)
    select ${folded}, ${name}, ${upstreamId}, ${at} where (select count(*) from profile) < ${MAX_PROFILES}
  `.execute(trx);
  const found = await trx
    .selectFrom('profile')
    .select('folded')
    .where('folded', '=', folded)
    .executeTakeFirst();
  if (found === undefined) {
    throw new UserError(`There may be ${MAX_PROFILES} profiles. Remove some first.`, 'profile');
  }
}

/** Deletes a profile with its aliases. Returns whether there was one. */
export async function deleteProfile(store: Store, name: string): Promise<boolean> {
  const rows = [[foldCase(name)]];
  return await store.writeIfFirstChanges([
    { sql: 'delete from profile where folded = ?', rows },
    { sql: 'delete from model_alias where profile = ?', rows },
  ]);
}

/** Makes a profile the one in use; `null` for none. Returns whether there is such a profile; otherwise nothing changes. */
export async function useProfile(store: Store, name: string | null): Promise<boolean> {
  const stop = 'update profile set used = 0 where used = 1';
  if (name === null) {
    await store.write([{ sql: stop, rows: [[]] }]);
    return true;
  }
  return await store.db.transaction().execute(async (trx) => {
    const folded = foldCase(name);
    const found = await trx
      .selectFrom('profile')
      .select('folded')
      .where('folded', '=', folded)
      .executeTakeFirst();
    if (found === undefined) return false;
    await sql.raw(stop).execute(trx);
    await trx.updateTable('profile').set({ used: 1 }).where('folded', '=', folded).execute();
    return true;
  });
}
