import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finding } from '../../shared/doctor/finding.ts';
import { formatBytes, formatDuration, pluralize } from '../../shared/format.ts';
import { COPY_RESERVE_BYTES } from '../backup/backup.ts';
import type { Clients } from '../clients/clients.ts';
import { findIndexDamage, readDatabaseSize } from '../history/history.ts';
import { freeBytes, isFull } from '../lib/disk.ts';
import type { SettingsRepository } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import type { TrustedClock } from '../store/trusted-clock.ts';
import { type CheckedFolder, checkDatabases } from './check-databases.ts';
import { fail, ok, warn } from './finding.ts';
import type { Check } from './run-checks.ts';

/** An open data folder, and what is checked in it. */
export interface OpenFolder extends CheckedFolder {
  readonly store: Store;
  readonly settings: Pick<SettingsRepository, 'current'>;
  readonly clients: Pick<Clients, 'listDamaged'>;
  readonly clock: Pick<TrustedClock, 'ahead'>;
  /** Lists the ids of videos whose rows are damaged. */
  readonly damagedVideos: () => Promise<readonly string[]>;
}

/** Lists the checks of an open data folder. */
export function listFolderChecks(folder: OpenFolder): readonly Check[] {
  return [
    { name: 'folder', run: async () => [await checkFolder(folder.dataDir)] },
    { name: 'database', run: async (signal) => await checkDatabases(folder, signal) },
    { name: 'client', run: async () => checkClients(folder) },
    { name: 'videos', run: async () => await checkVideos(folder) },
    { name: 'search-index', run: async () => await checkSearchIndex(folder) },
    { name: 'size', run: async () => [await checkHistorySize(folder)] },
    { name: 'clock-confirmed', run: async () => checkClock(folder) },
  ];
}

/** Checks the version of Node.js, without which nothing of this runs. */
export function checkNode(): Finding {
  return ok('node', `Node.js ${process.version} is new enough.`);
}

/** Checks who can access the files of the data folder. */
export async function checkFolder(dataDir: string): Promise<Finding> {
  const files = [dataDir, ...(await readdir(dataDir)).map((name) => join(dataDir, name))];
  const modes = await Promise.all(
    // A link may be broken, and files may disappear meanwhile.
    files.map(async (file) => ({ file, mode: (await stat(file).catch(() => null))?.mode ?? 0 })),
  );
  const open = modes.find(({ mode }) => process.platform !== 'win32' && (mode & 0o077) !== 0);
  if (open === undefined) {
    return ok('folder', `The data folder is ${dataDir}; only you can access it.`);
  }
  const command = `chmod go= '${open.file}'`;
  return warn('folder', `Other users can access ${open.file}.`, 'Run', { command });
}

/** Checks the space on the disk. Below a limit no copies of the databases are made, and the disk is almost full. */
export function checkFreeSpace(dataDir: string): Finding {
  const free = freeBytes(dataDir);
  if (free >= COPY_RESERVE_BYTES) {
    return ok('disk', `The disk of the data folder has ${formatBytes(free)} free.`);
  }
  const state = isFull(dataDir)
    ? `The disk of the data folder ${dataDir} is full: ${free} bytes are free. Nothing can be saved, and no videos are ordered.`
    : `The disk of the data folder ${dataDir} has only ${formatBytes(free)} free. Gatehouse makes no copies of its databases with less than ${formatBytes(COPY_RESERVE_BYTES)}.`;
  return fail('disk', state, 'Free some space there; Gatehouse continues automatically.');
}

function checkClients({ clients, command }: OpenFolder): readonly Finding[] {
  const start = command ?? 'gatehouse';
  return clients
    .listDamaged()
    .map(({ name }) =>
      fail(
        'client',
        `The local key of the client "${name}" is damaged in gatehouse.db and cannot be used.`,
        `Revoke it and create a new one: ${start} clients revoke '${name}', then ${start} clients add '${name}'`,
        { action: { kind: 'clients' } },
      ),
    );
}

async function checkVideos({ damagedVideos, command }: OpenFolder): Promise<readonly Finding[]> {
  const damaged = await damagedVideos();
  if (damaged.length === 0) return [];
  const sentence = describeDamagedVideos(damaged, command ?? 'gatehouse');
  return [fail('videos', sentence, '', { action: { kind: 'videos' } })];
}

/** Describes videos whose rows are damaged, with advice. */
export function describeDamagedVideos(ids: readonly string[], command: string): string {
  const which =
    ids.length === 1
      ? `The video ${ids.join()} is damaged in gatehouse.db: it is not shown, and nothing is sent for it.`
      : `${pluralize(ids.length, 'video')} are damaged in gatehouse.db: they are not shown, and nothing is sent for them (${ids.join(', ')}).`;
  return `${which} Copies of the database may have more: ${command} restore`;
}

/** Some damage shows only when something is written, which is rolled back. */
async function checkSearchIndex({ store }: OpenFolder): Promise<readonly Finding[]> {
  const damage = await findIndexDamage(store, 'writing');
  if (damage === null) return [];
  return [
    warn(
      'search-index',
      'The search index of the history is damaged. No exchange is lost.',
      `Stop Gatehouse and start it again: it rebuilds the index from the exchanges, no exchange is lost.\nSQLite says: ${damage}`,
    ),
  ];
}

async function checkHistorySize({ store, settings }: OpenFolder): Promise<Finding> {
  const { file } = await readDatabaseSize(store.db);
  const maxBytes = settings.current().mostMiB * 2 ** 20;
  const sentence = `The database takes ${formatBytes(file)} of at most ${formatBytes(maxBytes)}.`;
  return file <= maxBytes
    ? ok('size', sentence)
    : warn(
        'size',
        sentence,
        'A running Gatehouse deletes the oldest exchanges; the rest is not history. The limit can be changed in Settings.',
        { action: { kind: 'retention' } },
      );
}

function checkClock({ clock }: OpenFolder): readonly Finding[] {
  const ahead = clock.ahead();
  if (ahead === 0) return [];
  return [
    warn(
      'clock-confirmed',
      `The clock of this machine is ${formatDuration(ahead)} ahead of the last known time, so nothing is deleted by age.`,
      "Set this machine's clock, or send a request to your service: its answer confirms the time.",
    ),
  ];
}
