import { randomBytes } from 'node:crypto';
import { uptime } from 'node:os';
import { mkdir } from 'node:fs/promises';
import type { SettingsChange } from '../../../../shared/settings.ts';
import { openRepositories, type Repositories } from '../../../../gateway/gateway.ts';
import type { Host, SecretStore } from '../../../../gateway/host.ts';
import { openSettings } from '../../../../gateway/settings/settings.ts';

/** The contents of a data folder before Gatehouse starts on it. */
export interface SeedOptions {
  readonly settings?: SettingsChange;
  /** Puts more into the opened folder. */
  readonly more?: (repositories: Repositories) => Promise<void>;
}

const NO_KEYCHAIN: SecretStore = {
  read: () => Promise.resolve({ state: 'absent' }),
  write: () => Promise.resolve({ state: 'unavailable', reason: 'There is no keychain here.' }),
  remove: () => Promise.resolve({ state: 'unavailable', reason: 'There is no keychain here.' }),
};

/** Creates a data folder with the contents of an earlier run. */
export async function seedDataFolder(
  dataDir: string,
  { settings, more }: SeedOptions,
): Promise<void> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const host: Host = {
    dataDir,
    secrets: NO_KEYCHAIN,
    log: (level, message) => {
      if (level === 'error') throw new Error(message);
    },
    now: () => Date.now(),
    uptime: () => uptime() * 1000,
    randomBytes: (size) => randomBytes(size),
  };
  const repositories = await openRepositories({ host });
  try {
    if (settings !== undefined) {
      await (await openSettings({ store: repositories.store, log: host.log })).change(settings);
    }
    await more?.(repositories);
  } finally {
    await repositories.close();
  }
}
