import { isDeepStrictEqual } from 'node:util';
import { foldCase } from '../../shared/fold-case.ts';
import {
  AliasId,
  type ModelAlias,
  NewModelAlias,
  NewProfile,
  type Profile,
} from '../../shared/model-alias.ts';
import { NotFoundError, UserError } from '../errors.ts';
import type { Log } from '../host.ts';
import { Emitter } from '../lib/emitter.ts';
import type { Store } from '../store/store.ts';
import { AliasMatcher } from './alias-matcher.ts';
import { deleteProfile, readRows, upsertAlias, upsertProfile, useProfile } from './alias-rows.ts';

export interface AliasesOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly log: Log;
}

/** The aliases of models and their profiles, read from memory. */
export interface Aliases extends Pick<AliasMatcher, 'find' | 'findDefault' | 'listWhole'> {
  /** Lists the aliases of every profile, by profile and name. */
  list(): readonly ModelAlias[];
  /** Lists the profiles by name. */
  profiles(): readonly Profile[];
  /** Adds an alias; it replaces one of the same profile, client and name. A profile that does not exist is added. @throws UserError */
  set(alias: NewModelAlias): Promise<ModelAlias>;
  /** @throws NotFoundError */
  remove(id: string): Promise<void>;
  /** Adds a profile, or changes the upstream of one. @throws UserError */
  saveProfile(profile: NewProfile): Promise<void>;
  /** Removes a profile with its aliases. If it is in use, none is from then on. @throws NotFoundError */
  removeProfile(name: string): Promise<void>;
  /** Finds a profile by its name. @throws NotFoundError */
  findProfile(name: string): Profile;
  /** Uses a profile, from the next request on; `null` for none. Its upstream is not switched to. @throws NotFoundError */
  use(name: string | null): Promise<void>;
  /** Reads them again after another process changed them. */
  reload(): Promise<void>;
  /** Calls the listener when aliases or profiles were changed. Returns a function that removes the listener. */
  on(listener: () => void): () => void;
}

const ID_BYTES = 8;

/** Opens the aliases of a store. A damaged one is left out and logged. */
export async function openAliases(options: AliasesOptions): Promise<Aliases> {
  const aliases = new StoredAliases(options);
  await aliases.reload();
  return aliases;
}

class StoredAliases implements Aliases {
  readonly #options: AliasesOptions;
  readonly #listeners = new Emitter();
  #aliases: readonly ModelAlias[] = [];
  #profiles: readonly Profile[] = [];
  #matcher = new AliasMatcher([], null);

  constructor(options: AliasesOptions) {
    this.#options = options;
  }

  list(): readonly ModelAlias[] {
    return this.#aliases;
  }

  profiles(): readonly Profile[] {
    return this.#profiles;
  }

  find(clientId: string | null, model: string): ModelAlias | null {
    return this.#matcher.find(clientId, model);
  }

  findDefault(clientId: string | null): ModelAlias | null {
    return this.#matcher.findDefault(clientId);
  }

  listWhole(clientId: string | null): readonly ModelAlias[] {
    return this.#matcher.listWhole(clientId);
  }

  async set(given: NewModelAlias): Promise<ModelAlias> {
    const { store, now, randomBytes } = this.#options;
    const read = NewModelAlias.safeParse(given);
    if (!read.success) throw toUserError(read.error.issues, 'This is not an alias.');
    const id = AliasId.parse(`alias-${Buffer.from(randomBytes(ID_BYTES)).toString('hex')}`);
    const storedId = await upsertAlias(store, { ...read.data, id }, Math.round(now()));
    await this.reload();
    return { ...read.data, id: storedId };
  }

  async remove(id: string): Promise<void> {
    const sql = 'delete from model_alias where id = ?';
    const isRemoved = await this.#options.store.writeIfFirstChanges([{ sql, rows: [[id]] }]);
    await this.reload();
    if (!isRemoved) throw new NotFoundError('This alias was removed.');
  }

  async saveProfile(given: NewProfile): Promise<void> {
    const { store, now } = this.#options;
    const read = NewProfile.safeParse(given);
    if (!read.success) throw toUserError(read.error.issues, 'This is not a profile.');
    await upsertProfile(store, read.data, Math.round(now()));
    await this.reload();
  }

  async removeProfile(name: string): Promise<void> {
    const isRemoved = await deleteProfile(this.#options.store, name);
    await this.reload();
    if (!isRemoved) throw this.#noProfileError(name);
  }

  findProfile(name: string): Profile {
    const folded = foldCase(name);
    const found = this.#profiles.find((one) => foldCase(one.name) === folded);
    if (found === undefined) throw this.#noProfileError(name);
    return found;
  }

  async use(name: string | null): Promise<void> {
    const isUsed = await useProfile(this.#options.store, name);
    await this.reload();
    if (!isUsed) throw this.#noProfileError(name ?? '');
  }

  async reload(): Promise<void> {
    const { aliases, profiles } = await readRows(this.#options.store, this.#options.log);
    const isSame =
      isDeepStrictEqual(aliases, this.#aliases) && isDeepStrictEqual(profiles, this.#profiles);
    if (isSame) return;
    this.#aliases = aliases;
    this.#profiles = profiles;
    const used = profiles.find((one) => one.used);
    this.#matcher = new AliasMatcher(aliases, used?.name ?? null);
    this.#listeners.emit();
  }

  on(listener: () => void): () => void {
    return this.#listeners.on(listener);
  }

  #noProfileError(name: string): NotFoundError {
    const names = this.#profiles.map((one) => `“${one.name}”`).join(', ');
    const others = names === '' ? 'There are no profiles yet.' : `There are: ${names}.`;
    return new NotFoundError(`There is no profile “${name}”. ${others}`);
  }
}

function toUserError(
  issues: readonly { readonly message: string; readonly path: readonly PropertyKey[] }[],
  otherwise: string,
): UserError {
  const [issue] = issues;
  return new UserError(issue?.message ?? otherwise, String(issue?.path[0] ?? ''));
}
