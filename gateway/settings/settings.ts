import { tryParseJson } from '../lib/json-object.ts';
import { isAbsolute } from 'node:path';
import {
  DEFAULT_SETTINGS,
  SettingName,
  type Settings,
  SettingsChange,
} from '../../shared/settings.ts';
import type { Log } from '../host.ts';
import { UserError } from '../errors.ts';
import { checkListeners } from './further-listeners.ts';
import type { Store } from '../store/store.ts';

export { openSavedFilters, type SavedFilters } from './saved-filters.ts';

export interface SettingsOptions {
  readonly store: Store;
  readonly log: Log;
}

/** Stores the settings. The settings in force for this run may differ: see `EffectiveSettings`. */
export interface SettingsRepository {
  /** Returns the settings, from memory. */
  current(): Settings;
  /** Applies all of the change or nothing. @throws UserError for an invalid value. */
  change(change: SettingsChange): Promise<Settings>;
  /** Reads the settings again after another process changed them. */
  reload(): Promise<Settings>;
}

/** Reads the settings; a damaged one counts as unset and is logged. */
export async function openSettings({ store, log }: SettingsOptions): Promise<SettingsRepository> {
  let settings = await loadSettings(store, log);
  const reload = async () => {
    settings = await loadSettings(store, log);
    return settings;
  };
  return {
    current: () => settings,
    change: async (change) => {
      await saveChange(store, parseChange(change));
      return await reload();
    },
    reload,
  };
}

async function loadSettings({ db }: Store, log: Log): Promise<Settings> {
  const names = SettingName.options;
  const rows = await db.selectFrom('setting').selectAll().where('key', 'in', names).execute();
  const settings = { ...DEFAULT_SETTINGS };
  for (const { key, value } of rows) {
    try {
      Object.assign(settings, parseChange({ [key]: tryParseJson(value) ?? null }));
    } catch {
      log('warn', `The setting "${key}" is damaged, so its default value is used.`);
    }
  }
  return settings;
}

/** Validates a change. @throws UserError that names the setting. */
export function parseChange(change: SettingsChange): SettingsChange {
  const read = SettingsChange.safeParse(change);
  const folder = read.data?.videoFolder ?? null;
  if (folder !== null && !isAbsolute(folder)) {
    throw new UserError('Enter the full path of the folder, from the root.', 'videoFolder');
  }
  if (read.success) {
    const { furtherListeners } = read.data;
    if (furtherListeners === undefined) return read.data;
    return { ...read.data, furtherListeners: checkListeners(furtherListeners) };
  }
  const issue = read.error.issues[0];
  throw new UserError(
    issue?.message ?? 'This cannot be changed.',
    issue?.path[0] === undefined ? null : String(issue.path[0]),
  );
}

async function saveChange(store: Store, change: SettingsChange): Promise<void> {
  const rows = Object.entries(change)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, JSON.stringify(value)]);
  const sql =
    'insert into setting (key, value) values (?, ?) on conflict (key) do update set value = excluded.value';
  await store.write([{ sql, rows }]);
}
