import { parseFilter } from '../../shared/filter-language/parse.ts';
import { MAX_SAVED_FILTERS, type SavedFilter } from '../../shared/saved-filter.ts';
import { NotFoundError, UserError } from '../errors.ts';
import type { Store } from '../store/store.ts';

/** The filters of the history that people have saved. */
export interface SavedFilters {
  /** Lists them by name. */
  list(): Promise<SavedFilter[]>;
  /** Saves a filter; replaces one of the same name. @throws UserError when it means nothing, or there are too many */
  save(filter: SavedFilter): Promise<void>;
  /** @throws NotFoundError when there is none, UserError when there is another one of the new name */
  rename(name: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
}

/** Opens the saved filters of a store. */
export function openSavedFilters(store: Store): SavedFilters {
  return {
    list: () => store.db.selectFrom('saved_filter').selectAll().orderBy('name').execute(),
    save: (filter) => saveFilter(store, filter),
    rename: (name, to) => renameFilter(store, name, to),
    remove: async (name) => {
      await store.db.deleteFrom('saved_filter').where('name', '=', name).execute();
    },
  };
}

async function saveFilter(store: Store, { name, text }: SavedFilter): Promise<void> {
  const [error] = parseFilter(text).errors;
  if (error !== undefined) throw new UserError(error.message, 'text');
  const insert = `insert into saved_filter (name, text)
    select ?, ? where (select count(*) from saved_filter where name <> ?) < ${MAX_SAVED_FILTERS}
    on conflict (name) do update set text = excluded.text`;
  const isSaved = await store.writeIfFirstChanges([{ sql: insert, rows: [[name, text, name]] }]);
  if (!isSaved) {
    throw new UserError(`There are ${MAX_SAVED_FILTERS} saved filters. Delete one first.`, 'name');
  }
}

async function renameFilter(store: Store, name: string, to: string): Promise<void> {
  if (name === to) return;
  const update = `update saved_filter set name = ?
    where name = ? and not exists (select 1 from saved_filter where name = ?)`;
  if (await store.writeIfFirstChanges([{ sql: update, rows: [[to, name, to]] }])) return;
  const found = await store.db
    .selectFrom('saved_filter')
    .select('name')
    .where('name', '=', to)
    .executeTakeFirst();
  if (found !== undefined) throw new UserError(`There is already a filter "${to}".`, 'to');
  throw new NotFoundError('This filter was deleted.');
}
