import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  startInitialCheck,
  startFileJob,
  DatabaseDamagedError,
  type DatabaseName,
  type Finding,
  findLogDamage,
  inspect,
  isHistoryTable,
  isSearchTable,
  DATABASE_KINDS,
  readMigrationNames,
  runFileJob,
  type RunningJob,
  createExpectedSchema,
  StoreError,
} from '../store/store.ts';
import { listCopyParts, writeVerifiedCopy } from './copies.ts';
import type { BackupDeps } from './deps.ts';
import { clearDamage, recordDamage, readDamageNote } from './damage-note.ts';
import { HOLD_ORDERS_STATEMENT } from './hold-orders.ts';
import { databasePath, copyLogToDamaged, moveToDamaged } from './paths.ts';

/** A start waits this long for the check of the database; the check of a larger one goes on in the background. */
const START_WAIT_MS = 1_500;

/**
 * Checks a database before it is served from, and repairs what can be repaired without losing anything but the history. Only
 * the process that serves the data folder may call it, before it opens the database. Damage found after the start is logged,
 * and recorded for the next start. Resolves with a function that cancels the check. Rejects with DatabaseDamagedError and
 * StoreError.
 */
export async function prepareDatabase(
  deps: BackupDeps,
  database: DatabaseName,
): Promise<() => Promise<void>> {
  const { dataDir } = deps;
  const file = databasePath(dataDir, database);
  if (!existsSync(file)) return async () => undefined;
  const note = await readDamageNote(dataDir, database);
  await keepDamagedLog(deps, database);
  try {
    inspect(file, DATABASE_KINDS[database]);
  } catch (error) {
    if (!(error instanceof DatabaseDamagedError)) throw error;
    await recoverDatabase(deps, database, error);
    return async () => undefined;
  }
  const check = startInitialCheck({ file, thorough: note !== null });
  const inTime = note === null ? await finishesInTime(check) : await check.done.then(() => true);
  const damage = toDamage(file, check.findings);
  if (damage !== null) {
    await check.cancel();
    await recoverDatabase(deps, database, damage);
  } else if (inTime) {
    await clearDamage(dataDir, database);
  } else {
    void reportLateDamage(deps, database, check);
  }
  return check.cancel;
}

/** Resolves with whether the job finished within the time that a start waits. Rejects when it failed by then. */
export async function finishesInTime({ done }: RunningJob): Promise<boolean> {
  const over = new AbortController();
  try {
    const box = pause(START_WAIT_MS, false, { signal: over.signal });
    return await Promise.race([done.then(() => true), box]);
  } finally {
    over.abort();
  }
}

async function reportLateDamage(
  deps: BackupDeps,
  database: DatabaseName,
  check: RunningJob,
): Promise<void> {
  try {
    await check.done;
    const damage = toDamage(databasePath(deps.dataDir, database), check.findings);
    if (damage === null) return;
    await recordDamage(deps, database, damage.finding);
    const { file, finding, detail } = damage;
    deps.log(
      'error',
      `The database ${file} is damaged: ${finding}. It is repaired at the next start as far as possible. SQLite says: ${detail}`,
    );
  } catch {
    // The check was cancelled together with the program.
  }
}

/** Converts findings to an error; `null` when there are none. */
export function toDamage(file: string, findings: readonly Finding[]): DatabaseDamagedError | null {
  const [first] = findings;
  if (first === undefined) return null;
  const tables = [...new Set(findings.map(({ table }) => table ?? 'exchange'))];
  const onlyIndices = findings.every(({ text }) =>
    /from index|in index|index entr|non-unique entry/u.test(text),
  );
  const finding = onlyIndices ? 'an index is wrong' : 'parts of it cannot be read';
  return new DatabaseDamagedError({ file, finding, detail: first.text, tables });
}

/** @throws DatabaseDamagedError when more than the history would be lost. */
async function recoverDatabase(
  deps: BackupDeps,
  database: DatabaseName,
  damage: DatabaseDamagedError,
): Promise<void> {
  const { dataDir, log } = deps;
  const steps = [rebuildIndices, dropSearchIndex, recreateHistory, discardLog];
  for (const step of steps) {
    const message = await step(deps, database, damage).catch((error: unknown) => {
      if (error instanceof StoreError) return null;
      throw error;
    });
    if (message === null) continue;
    const { file, finding, detail } = damage;
    const last = detail === '' ? '' : ` SQLite says: ${detail}`;
    log('warn', `${file} was damaged: ${finding}. ${message}${last}`);
    await clearDamage(dataDir, database);
    return;
  }
  await recordDamage(deps, database, damage.finding);
  throw damage;
}

/** Resolves with a description of what was done, or with `null` when this step does not apply. */
type RecoveryStep = (
  deps: BackupDeps,
  database: DatabaseName,
  damage: DatabaseDamagedError,
) => Promise<string | null>;

const rebuildIndices: RecoveryStep = async (_deps, _database, { file, finding }) => {
  if (finding !== 'an index is wrong') return null;
  await runFileJob({ kind: 'reindex', file });
  if (!(await isIntact(file))) return null;
  return 'Its indices were rebuilt; nothing is lost.';
};

const dropSearchIndex: RecoveryStep = async (_deps, database, { file, tables, detail }) => {
  const inIndex = tables.length > 0 && tables.every(isSearchTable);
  // Damage that FTS5 itself reports is in no table.
  const isIndex = inIndex || /fts5|exchange_text/iu.test(detail);
  if (database !== 'gatehouse' || !isIndex || !tables.every(isHistoryTable)) return null;
  try {
    await runFileJob({ kind: 'drop-search-index', file });
    if (!(await isIntact(file))) return null;
  } catch {
    // If other tables are damaged as well, the next step removes the whole history.
    return null;
  }
  return 'Only the search index of the history was affected. It is rebuilt; nothing is lost.';
};

const recreateHistory: RecoveryStep = async ({ dataDir, now }, database, { file, tables }) => {
  const inHistory = tables.length > 0 && tables.every(isHistoryTable);
  if (database !== 'gatehouse' || !inHistory) return null;
  const temporary = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
  try {
    const parts = listCopyParts(
      createExpectedSchema(DATABASE_KINDS.gatehouse.migrations, readMigrationNames(file)),
    );
    await writeVerifiedCopy(temporary, { dataDir, database, parts });
    const aside = await moveToDamaged(dataDir, database, { now: now() });
    await rename(temporary, file);
    return `The history starts empty; everything else was recovered. The damaged file was moved to ${aside}`;
  } finally {
    await rm(temporary, { force: true });
  }
};

/** A log that is damaged, or belongs to another database, corrupts what SQLite reads through it. */
const discardLog: RecoveryStep = async ({ dataDir, now }, database, { file }) => {
  if (!existsSync(`${file}-wal`) || !(await isIntact(file, { withoutLog: true }))) return null;
  const aside = await moveToDamaged(dataDir, database, { now: now(), only: 'log' });
  inspect(file, DATABASE_KINDS[database]);
  if (database === 'gatehouse') holdOrders(file);
  return `Its log (${file}-wal) does not belong to it and is ignored, so the latest changes may be missing. Videos that were not ordered yet wait for your decision. The log is kept: ${aside}`;
};

/**
 * Preserves a log that SQLite would read only in part and then remove. The readable part is applied to the database. Rejects
 * with the system's error when the log cannot be copied.
 */
async function keepDamagedLog({ dataDir, now, log }: BackupDeps, database: DatabaseName) {
  const file = databasePath(dataDir, database);
  const finding = await findLogDamage(file);
  if (finding === null) return;
  const aside = await copyLogToDamaged(dataDir, database, now());
  if (database === 'gatehouse') holdOrders(file);
  log(
    'error',
    `${file} has lost its latest changes: ${finding}. Videos that were not ordered yet wait for your decision; before you order one again, check the list of the service. The log is kept: ${aside}`,
  );
}

async function isIntact(
  file: string,
  { withoutLog = false }: { readonly withoutLog?: boolean } = {},
): Promise<boolean> {
  const check = startFileJob({ kind: 'check', file, thorough: true, withoutLog });
  await check.done;
  return check.findings.length === 0;
}

function holdOrders(file: string): void {
  const opened = new DatabaseSync(pathToFileURL(file));
  try {
    opened.exec(HOLD_ORDERS_STATEMENT);
  } finally {
    opened.close();
  }
}
