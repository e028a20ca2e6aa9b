import { chmod, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  DiskError,
  freeBytes,
  withFolder,
  toDiskError,
  fsyncFolder,
  systemCode,
} from '../lib/disk.ts';
import {
  startFileJob,
  type CopyParts,
  DatabaseDamagedError,
  type DatabaseName,
  inspect,
  type Inspection,
  isHistoryTable,
  DATABASE_KINDS,
  runFileJob,
  type Schema,
} from '../store/store.ts';
import type { BackupDeps } from './deps.ts';
import { HOLD_ORDERS_STATEMENT } from './hold-orders.ts';
import { copiesPath, databasePath, formatFileTime, parseFileTime } from './paths.ts';

/** A copy of a database. */
export interface Copy {
  /** File name without `.db`; this is the name that people use for the copy. */
  readonly name: string;
  readonly database: DatabaseName;
  readonly file: string;
  /** Grows by one with each copy, independently of the clock. */
  readonly number: number;
  /** Unix time in milliseconds. */
  readonly at: number;
  readonly bytes: number;
}

/** Number of copies kept of each database. */
export const MAX_COPIES = 3;
/** Disk space that a copy leaves free, so that it never competes with what is being written now. */
export const COPY_RESERVE_BYTES = 64 * 1024 * 1024;
/** A partial copy of this age was left by a process that died. */
const ABANDONED_AFTER_MS = 3_600_000;

const NAME = /^(gatehouse|chat)-(\d+)-(\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{3}Z)(-before-\d+)?\.db$/u;

/** Lists the copies of a data folder, newest first. Rejects with DiskError when their folder cannot be read. */
export async function listCopies(dataDir: string): Promise<readonly Copy[]> {
  const folder = copiesPath(dataDir);
  const names = await readdir(folder).catch((error: unknown) => {
    if (systemCode(error) === 'ENOENT') return [];
    throw toDiskError(error, folder);
  });
  const copies = await Promise.all(
    names.map(async (name) => {
      const [, database, number, mark = ''] = NAME.exec(name) ?? [];
      const file = join(folder, name);
      const found = await stat(file).catch(() => null);
      if ((database !== 'gatehouse' && database !== 'chat') || found?.isFile() !== true) return [];
      const at = parseFileTime(mark);
      if (Number.isNaN(at)) return [];
      const bytes = found.size;
      const named = { name: basename(name, '.db'), database, file } as const;
      return [{ ...named, number: Number(number), at, bytes }];
    }),
  );
  return copies
    .flat()
    .toSorted(
      (one, other) => other.number - one.number || other.name.localeCompare(one.name, 'en'),
    );
}

/**
 * Copies a database while others use it, and removes copies beyond the last three. Resolves with the name of the copy, or with
 * `null` when there is no such database. Rejects as `createCopyBeforeMigration` does.
 */
export async function createCopy(
  deps: Pick<BackupDeps, 'dataDir' | 'now'>,
  database: DatabaseName,
): Promise<string | null> {
  const name = await addCopy(deps, database, '');
  if (name !== null) await removeOldCopies(deps.dataDir, database);
  return name;
}

/**
 * Copies a database before this migration changes its tables. The new copy replaces an earlier one made before the same
 * migration, so that a migration that fails at every start leaves only one; all other copies stay until `removeOldCopies`. The
 * copy is checked before it gets its name. The history is left out: it may be large, and Gatehouse works without it. Rejects
 * with DatabaseDamagedError, StoreError, or DiskError when there is too little space; it then leaves nothing behind, and older
 * copies stay.
 */
export async function createCopyBeforeMigration(
  deps: Pick<BackupDeps, 'dataDir' | 'now'>,
  database: DatabaseName,
  migration: string,
): Promise<void> {
  const { dataDir } = deps;
  const ending = `-before-${Number.parseInt(migration, 10)}`;
  const present = inspect(databasePath(dataDir, database), DATABASE_KINDS[database]);
  // Another process has migrated meanwhile, and its copy must stay.
  if (present?.done.includes(migration)) return;
  await addCopy(deps, database, ending);
  const copies = await listCopies(dataDir);
  const same = copies.filter((copy) => copy.database === database && copy.name.endsWith(ending));
  // The newest stays, so two processes that do this at the same time leave one.
  for (const { file } of same.slice(1)) await rm(file, { force: true });
}

/** Removes copies of a database beyond the last three. */
export async function removeOldCopies(dataDir: string, database: DatabaseName): Promise<void> {
  const copies = (await listCopies(dataDir)).filter((copy) => copy.database === database);
  for (const { file } of copies.slice(MAX_COPIES)) await rm(file, { force: true });
  await removeLeftovers(copiesPath(dataDir));
}

async function addCopy(
  deps: Pick<BackupDeps, 'dataDir' | 'now'>,
  database: DatabaseName,
  ending: string,
): Promise<string | null> {
  const inspection = inspect(databasePath(deps.dataDir, database), DATABASE_KINDS[database]);
  if (inspection === null) return null;
  return await withFolder(
    copiesPath(deps.dataDir),
    async () => await writeCopy(deps, { database, ending, inspection }),
  );
}

interface NewCopyOptions {
  readonly database: DatabaseName;
  readonly ending: string;
  readonly inspection: Inspection;
}

async function writeCopy(
  { dataDir, now }: Pick<BackupDeps, 'dataDir' | 'now'>,
  { database, ending, inspection }: NewCopyOptions,
): Promise<string> {
  const folder = copiesPath(dataDir);
  const before = (await listCopies(dataDir)).filter((copy) => copy.database === database);
  await assertFreeSpace(dataDir, database);
  const number = (before[0]?.number ?? 0) + 1;
  const name = `${database}-${number}-${formatFileTime(now())}${ending}`;
  const temporary = join(folder, `${name}.${process.pid}.new`);
  try {
    const parts = database === 'chat' ? null : listBackupParts(inspection);
    await writeVerifiedCopy(temporary, { dataDir, database, parts });
    await rename(temporary, join(folder, `${name}.db`));
  } finally {
    for (const end of ['', '-wal', '-shm', '-journal'])
      await rm(`${temporary}${end}`, { force: true });
  }
  await fsyncFolder(folder);
  return name;
}

/** Removes the copies of a database, so that data deleted from it does not survive in them. */
export async function removeCopies(dataDir: string, database: DatabaseName): Promise<void> {
  const copies = (await listCopies(dataDir)).filter((copy) => copy.database === database);
  for (const { file } of copies) await rm(file, { force: true });
  await removeLeftovers(copiesPath(dataDir), database);
}

/** Selects everything but the history, whose tables are created empty. */
export function listCopyParts({ tables, statements }: Schema): CopyParts {
  const names = [...tables.keys()];
  return {
    statements: [...statements.values()],
    tables: names.filter((table) => !isHistoryTable(table)),
    afterwards: [],
  };
}

/** A restored database is always older than the orders sent since the copy, so the copy holds them. */
function listBackupParts({ expected }: Inspection): CopyParts {
  const parts = listCopyParts(expected);
  const afterwards = parts.tables.includes('video_job') ? [HOLD_ORDERS_STATEMENT] : [];
  return { ...parts, afterwards };
}

interface WriteCopyOptions {
  readonly dataDir: string;
  readonly database: DatabaseName;
  readonly parts: CopyParts | null;
}

/** Writes a copy to a new file and checks it. The data has reached the disk when this resolves. */
export async function writeVerifiedCopy(
  to: string,
  { dataDir, database, parts }: WriteCopyOptions,
): Promise<void> {
  const kind = DATABASE_KINDS[database];
  const { applicationId } = kind;
  const file = databasePath(dataDir, database);
  await (await open(to, 'wx', 0o600)).close();
  await runFileJob({ kind: 'copy', file, to, applicationId, parts });
  await chmod(to, 0o600);
  const check = startFileJob({ kind: 'check', file: to, thorough: false });
  await check.done;
  const [finding] = check.findings;
  if (finding !== undefined) throw new DatabaseDamagedError({ file: to, finding: finding.text });
  inspect(to, kind);
  await using written = await open(to, 'r+');
  await written.sync();
}

async function assertFreeSpace(dataDir: string, database: DatabaseName): Promise<void> {
  // Most of `gatehouse.db` is the history, which is left out.
  const needed =
    database === 'chat'
      ? (await stat(databasePath(dataDir, database))).size + COPY_RESERVE_BYTES
      : COPY_RESERVE_BYTES;
  if (freeBytes(dataDir) < needed) {
    throw new DiskError(
      `The disk of the folder ${dataDir} has too little space for a copy of ${database}.db. Free some space there.`,
    );
  }
}

async function removeLeftovers(folder: string, database?: DatabaseName): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!/\.new(?:-\w+)?$/u.test(name)) continue;
    const file = join(folder, name);
    const found = await stat(file).catch(() => null);
    const isAbandoned = found !== null && Date.now() - found.mtimeMs > ABANDONED_AFTER_MS;
    if (isAbandoned || (database !== undefined && name.startsWith(`${database}-`))) {
      await rm(file, { force: true });
    }
  }
}
