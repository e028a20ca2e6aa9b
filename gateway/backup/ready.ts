import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import {
  beginFileJob,
  DatabaseDamaged,
  type DatabaseName,
  type Finding,
  findLogDamage,
  inspect,
  isHistoryTable,
  isSearchTable,
  KINDS,
  readDone,
  runFileJob,
  type RunningJob,
  schemaAfter,
  StoreError,
} from '../store/store.ts';
import { partsOf, writeSound } from './copies.ts';
import type { BackupGround } from './ground.ts';
import { forgetDamage, noteDamage, readNote } from './note.ts';
import { LEAVE_ORDERS_TO_A_PERSON } from './open-orders.ts';
import { databaseFile, keepLog, setAside } from './places.ts';

/** So long a start waits for the look through a database; for a larger one it goes on meanwhile. */
const BOX_MS = 1_500;

/**
 * Looks through a database that is about to be served from, and mends what can be mended without losing anything but the history. To be called by the one
 * process that serves the data folder, before it opens the database. What is found only after the start is logged, and noted for the next
 * start. Gives what ends the look. Rejects with DatabaseDamaged, and StoreError.
 */
export async function makeReady(
  ground: BackupGround,
  database: DatabaseName,
): Promise<() => Promise<void>> {
  const { dataDir } = ground;
  const file = databaseFile(dataDir, database);
  if (!existsSync(file)) return async () => undefined;
  const note = await readNote(dataDir, database);
  await keepDamagedLog(ground, database);
  try {
    await inspect(file, KINDS[database]);
  } catch (error) {
    if (!(error instanceof DatabaseDamaged)) throw error;
    await mend(ground, database, error);
    return async () => undefined;
  }
  const look = beginFileJob({ kind: 'check', file, thorough: note !== null });
  const inTime = note === null ? await within(look) : await look.done.then(() => true);
  const damage = damageOf(file, look.findings);
  if (damage !== null) {
    await look.cancel();
    await mend(ground, database, damage);
  } else if (inTime) {
    await forgetDamage(dataDir, database);
  } else {
    void tellLate(ground, database, look);
  }
  return look.cancel;
}

/** Whether it is over within the time that a start waits. Rejects when it failed by then. */
export async function within({ done }: RunningJob): Promise<boolean> {
  const over = new AbortController();
  try {
    const box = pause(BOX_MS, false, { signal: over.signal });
    return await Promise.race([done.then(() => true), box]);
  } finally {
    over.abort();
  }
}

async function tellLate(
  ground: BackupGround,
  database: DatabaseName,
  look: RunningJob,
): Promise<void> {
  try {
    await look.done;
    const damage = damageOf(databaseFile(ground.dataDir, database), look.findings);
    if (damage === null) return;
    await noteDamage(ground, database, damage.finding);
    const { file, finding, detail } = damage;
    ground.log(
      'error',
      `The database ${file} is damaged: ${finding}. It is mended at the next start as far as it can be. SQLite says: ${detail}`,
    );
  } catch {
    // It was ended with the program.
  }
}

/** The damage that these findings are, `null` for none. */
export function damageOf(file: string, findings: readonly Finding[]): DatabaseDamaged | null {
  const [first] = findings;
  if (first === undefined) return null;
  const tables = [...new Set(findings.map(({ table }) => table ?? 'exchange'))];
  const onlyIndices = findings.every(({ text }) =>
    /from index|in index|index entr|non-unique entry/u.test(text),
  );
  const finding = onlyIndices ? 'an index is wrong' : 'parts of it cannot be read';
  return new DatabaseDamaged({ file, finding, detail: first.text, tables });
}

/** @throws DatabaseDamaged when more than the history would be lost. */
async function mend(
  ground: BackupGround,
  database: DatabaseName,
  damage: DatabaseDamaged,
): Promise<void> {
  const { dataDir, log } = ground;
  const ways = [makeIndices, dropSearchIndex, beginHistoryAnew, leaveLog];
  for (const way of ways) {
    const said = await way(ground, database, damage).catch((error: unknown) => {
      if (error instanceof StoreError) return null;
      throw error;
    });
    if (said === null) continue;
    const { file, finding, detail } = damage;
    const last = detail === '' ? '' : ` SQLite says: ${detail}`;
    log('warn', `${file} was damaged: ${finding}. ${said}${last}`);
    await forgetDamage(dataDir, database);
    return;
  }
  await noteDamage(ground, database, damage.finding);
  throw damage;
}

/** Gives in words what was done, or `null` when this is not the way. */
type Way = (
  ground: BackupGround,
  database: DatabaseName,
  damage: DatabaseDamaged,
) => Promise<string | null>;

const makeIndices: Way = async (_ground, _database, { file, finding }) => {
  if (finding !== 'an index is wrong') return null;
  await runFileJob({ kind: 'reindex', file });
  if (!(await isSound(file))) return null;
  return 'Its indices were made anew; nothing is lost.';
};

const dropSearchIndex: Way = async (_ground, database, { file, tables, detail }) => {
  const inIndex = tables.length > 0 && tables.every(isSearchTable);
  // No table has the damage that FTS5 itself finds.
  const isIndex = inIndex || /fts5|exchange_text/iu.test(detail);
  if (database !== 'gatehouse' || !isIndex || !tables.every(isHistoryTable)) return null;
  try {
    await runFileJob({ kind: 'drop-search-index', file });
    if (!(await isSound(file))) return null;
  } catch {
    // Whatever is wrong with its tables beyond that, the next way takes the history out as a whole.
    return null;
  }
  return 'Only the search index of the history was, which is made anew; nothing is lost.';
};

const beginHistoryAnew: Way = async ({ dataDir, now }, database, { file, tables }) => {
  const inHistory = tables.length > 0 && tables.every(isHistoryTable);
  if (database !== 'gatehouse' || !inHistory) return null;
  const fresh = `${file}.${process.pid}-${randomBytes(4).toString('hex')}.new`;
  try {
    const parts = partsOf(await schemaAfter(KINDS.gatehouse, readDone(file)));
    await writeSound(fresh, { dataDir, database, parts });
    const aside = await setAside(dataDir, database, { now: now() });
    await rename(fresh, file);
    return `The history begins anew, everything else was taken over. The damaged file is kept: ${aside}`;
  } finally {
    await rm(fresh, { force: true });
  }
};

/** A log that belongs to another database, or is damaged itself, spoils what SQLite reads through it. */
const leaveLog: Way = async ({ dataDir, now }, database, { file }) => {
  if (!existsSync(`${file}-wal`) || !(await isSound(file, { withoutLog: true }))) return null;
  const aside = await setAside(dataDir, database, { now: now(), only: 'log' });
  await inspect(file, KINDS[database]);
  if (database === 'gatehouse') leaveOrders(file);
  return `Its log (${file}-wal) does not fit to it and is left out, so the latest changes may be missing. Videos that were not ordered yet wait for your decision. The log is kept: ${aside}`;
};

/**
 * Keeps a log that SQLite would read only in part and then remove. The part that it can read is worked into the database. Rejects with
 * the system's error when the log cannot be kept.
 */
async function keepDamagedLog({ dataDir, now, log }: BackupGround, database: DatabaseName) {
  const file = databaseFile(dataDir, database);
  const finding = await findLogDamage(file);
  if (finding === null) return;
  const aside = await keepLog(dataDir, database, now());
  if (database === 'gatehouse') leaveOrders(file);
  log(
    'error',
    `${file} has lost its latest changes: ${finding}. Videos that were not ordered yet wait for your decision; before you order one again, look into the list of the service. The log is kept: ${aside}`,
  );
}

async function isSound(
  file: string,
  { withoutLog = false }: { readonly withoutLog?: boolean } = {},
): Promise<boolean> {
  const check = beginFileJob({ kind: 'check', file, thorough: true, withoutLog });
  await check.done;
  return check.findings.length === 0;
}

function leaveOrders(file: string): void {
  const opened = new DatabaseSync(pathToFileURL(file));
  try {
    opened.exec(LEAVE_ORDERS_TO_A_PERSON);
  } finally {
    opened.close();
  }
}
