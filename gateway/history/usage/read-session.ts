import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { UsageScope } from '../../../shared/history/history.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { NUMBERS, SUM_COLUMNS, toSums, type TotalSums } from './sum-columns.ts';

/**
 * The usage of a session of a client, with the sessions that its agents started: of services or of the sandbox, to whichever its latest
 * request went.
 */
export interface SessionReport {
  readonly session: string;
  readonly of: UsageScope;
  /** ISO 4217 code. */
  readonly currency: string;
  readonly usage: TotalSums;
}

/** The last migration of the tables that are read here. Another version of Gatehouse may mean something else by them. */
export const READ_MIGRATION = '0035-cache-reasons';

/** A status line asks again soon. */
const BUSY_MS = 200;
const DEFAULT_CURRENCY = 'USD';

/**
 * Reads the usage of a session in a data folder where another process may be recording. It needs nothing else of the program, because status
 * lines ask for it several times a minute. @throws SQLite's error; an error when another version wrote the file
 */
export function readSession(dataDir: string, session: string): SessionReport {
  const database = new DatabaseSync(join(dataDir, 'gatehouse.db'), {
    readOnly: true,
    timeout: BUSY_MS,
  });
  try {
    const written = database.prepare('select max(name) as name from kysely_migration').get();
    if (written?.['name'] !== READ_MIGRATION) throw new Error('Another version wrote this file.');
    const latest = database
      .prepare(
        'select service from exchange where conversation = ? order by started_at desc limit 1',
      )
      .get(session);
    const of = latest?.['service'] === SANDBOX_ID ? 'sandbox' : 'services';
    const row = database
      .prepare(
        `with summed (${NUMBERS.join(', ')}) as (select ${SUM_COLUMNS} from exchange
          where seq in (
              select seq from exchange where conversation = ?1
              union
              select seq from exchange where run in (select distinct run from exchange where conversation = ?1))
            and (service is ?2) = ?3)
        select * from summed`,
      )
      .get(session, SANDBOX_ID, of === 'sandbox' ? 1 : 0);
    const currency = database.prepare(`select value from setting where key = 'currency'`).get();
    return {
      session,
      of,
      currency:
        currency === undefined ? DEFAULT_CURRENCY : String(JSON.parse(String(currency['value']))),
      usage: toSums(row ?? {}),
    };
  } finally {
    database.close();
  }
}
