import { statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pluralize } from '../../shared/format.ts';
import type { Finding } from '../../shared/doctor/finding.ts';
import { findLoss, recordDamage, withRestoreAdvice } from '../backup/backup.ts';
import {
  startFileJob,
  DatabaseDamagedError,
  type DatabaseName,
  withFullDiskFallback,
  type Finding as DatabaseFinding,
  inspect,
  type Inspection,
  DATABASE_KINDS,
} from '../store/store.ts';
import { fail, ok, warn } from './finding.ts';

/** A data folder. */
export interface CheckedFolder {
  readonly dataDir: string;
  /** The command with which a person starts this program; `null` where there is none. */
  readonly command: string | null;
}

/** Checks the databases of a data folder completely, and lists damaged ones that were set aside. The signal ends it. */
export async function checkDatabases(
  folder: CheckedFolder,
  signal?: AbortSignal,
): Promise<readonly Finding[]> {
  const found = await Promise.all(
    DATABASES.map(async (database) => await checkDatabase(folder, database, signal)),
  );
  return [...found.flat(), ...(await checkSetAsideFiles(folder))];
}

/** A database of the data folder, with its name in findings. */
interface DatabaseCheck {
  readonly check: string;
  readonly database: DatabaseName;
  readonly label: string;
}

const DATABASES: readonly DatabaseCheck[] = [
  { check: 'database', database: 'gatehouse', label: 'The database' },
  { check: 'conversations', database: 'chat', label: 'The database of the conversations' },
];

/** Checks all of a database. A database of conversations that does not exist yet is not created. */
async function checkDatabase(
  { dataDir, command }: CheckedFolder,
  { check, database, label }: DatabaseCheck,
  signal: AbortSignal | undefined,
): Promise<readonly Finding[]> {
  const file = join(dataDir, `${database}.db`);
  try {
    const loss = await findLoss(dataDir, database);
    if (loss !== null) throw loss;
    const checked = await withFullDiskFallback(
      file,
      async () => await inspectDatabase(file, database, signal),
    );
    if (checked === null) return [];
    const { findings, strayBytes } = checked;
    const [found] = findings;
    if (found === undefined && strayBytes > 0) return [strayBytesFinding(file, check, strayBytes)];
    if (found === undefined) return [ok(check, `${label} was checked and is intact.`)];
    await recordDamage({ dataDir, now: Date.now }, database, found.text);
    const more = findings.length > 1 ? ` (and ${findings.length - 1} more)` : '';
    return [
      fail(
        check,
        `${label} ${file} is damaged.`,
        `Stop Gatehouse and start it again: it repairs the database if nothing but the history is lost, and otherwise names the copy to restore. List the copies: ${command ?? 'gatehouse'} restore\nSQLite says: ${found.text}${more}`,
      ),
    ];
  } catch (error) {
    signal?.throwIfAborted();
    const known =
      error instanceof DatabaseDamagedError
        ? await withRestoreAdvice(error, database, { dataDir, command })
        : error;
    return [fail(check, known instanceof Error ? known.message : String(known), '')];
  }
}

interface DatabaseInspection extends Pick<Inspection, 'strayBytes'> {
  readonly findings: readonly DatabaseFinding[];
}

/** Returns `null` for a database that was never created. */
async function inspectDatabase(
  file: string,
  database: DatabaseName,
  signal: AbortSignal | undefined,
): Promise<DatabaseInspection | null> {
  const inspection = inspect(file, DATABASE_KINDS[database]);
  if (inspection === null) return null;
  signal?.throwIfAborted();
  const job = startFileJob({ kind: 'check', file, thorough: true });
  const cancel = () => void job.cancel();
  signal?.addEventListener('abort', cancel);
  try {
    await job.done;
  } finally {
    signal?.removeEventListener('abort', cancel);
  }
  return { findings: job.findings, strayBytes: inspection.strayBytes };
}

/** Something else wrote to the file, or a write was incomplete. SQLite's own check sees complete pages only. */
function strayBytesFinding(file: string, check: string, strayBytes: number): Finding {
  const completeBytes = statSync(file).size - strayBytes;
  return fail(
    check,
    `The length of the database ${file} is not a multiple of its page size: it has ${strayBytes} extra bytes at its end. All complete pages are intact.`,
    `Stop Gatehouse and remove them: truncate -s ${completeBytes} '${file}'. Another program wrote them, or the disk lost a write: find out which.`,
  );
}

/**
 * Finds files of databases that their owner may not write, by their mode; `null` when there are none. Root can write them all the same,
 * but somebody changed the mode on purpose.
 */
export function checkFileModes(dataDir: string): Finding | null {
  if (process.platform === 'win32') return null;
  for (const { database } of DATABASES) {
    for (const end of ['', '-wal', '-shm']) {
      const file = join(dataDir, `${database}.db${end}`);
      const mode = statSync(file, { throwIfNoEntry: false })?.mode;
      if (mode === undefined || (mode & 0o600) === 0o600) continue;
      return fail(
        'mode',
        `The file ${file} is not readable and writable for its owner: its mode is ${(mode & 0o777).toString(8)}.`,
        'Run',
        { command: `chmod u+rw '${file}'` },
      );
    }
  }
  return null;
}

/** Files that a repair set aside are kept until a person removes them. */
async function checkSetAsideFiles({ dataDir }: CheckedFolder): Promise<readonly Finding[]> {
  const folder = join(dataDir, 'damaged');
  const names = await readdir(folder).catch(() => []);
  if (names.length === 0) return [];
  return [
    warn(
      'damaged',
      `${pluralize(names.length, 'file')} of damaged databases ${names.length === 1 ? 'is' : 'are'} kept in ${folder}.`,
      'Delete those you no longer need: data that you delete in Gatehouse remains in these files.',
    ),
  ];
}
