import type { Mutex } from 'async-mutex';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { SqlValue } from './worker-protocol.ts';
import type { DatabaseWorker } from './database-worker.ts';

/** SQLite changes tables inside transactions; with one writer at a time, two processes can migrate at once. */
class Adapter extends SqliteAdapter {
  override get supportsTransactionalDdl() {
    return true;
  }
}

class Connection implements DatabaseConnection {
  readonly #worker: DatabaseWorker;
  readonly #release: () => void;

  constructor(worker: DatabaseWorker, release: () => void) {
    this.#worker = worker;
    this.#release = release;
  }

  async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    const parameters = query.parameters.map(toSqlValue);
    const result = await this.#worker.send({ kind: 'query', sql: query.sql, parameters });
    return {
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: the rows have the type of the query Kysely built
      rows: result.rows as R[],
      insertId: BigInt(result.lastId),
      numAffectedRows: BigInt(result.changes),
    };
  }

  streamQuery<R>(): AsyncIterableIterator<QueryResult<R>> {
    throw new Error('Rows cannot be streamed out of the worker. Read them page by page.');
  }

  release(): void {
    this.#release();
  }
}

function toSqlValue(value: unknown): SqlValue {
  if (value === null || value instanceof Uint8Array) return value;
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint') {
    return value;
  }
  throw new TypeError(`SQLite cannot hold a ${typeof value}.`);
}

async function executeRaw(connection: DatabaseConnection, sql: string): Promise<void> {
  await connection.executeQuery(CompiledQuery.raw(sql));
}

function createDriver(worker: DatabaseWorker, mutex: Mutex): Driver {
  return {
    init: async () => undefined,
    acquireConnection: async () => new Connection(worker, await mutex.acquire()),
    // Immediate, because a transaction that reads first and writes later would fail at once when another process wrote in
    // between.
    beginTransaction: (connection) => executeRaw(connection, 'begin immediate'),
    commitTransaction: (connection) => executeRaw(connection, 'commit'),
    rollbackTransaction: (connection) =>
      executeRaw(connection, 'rollback').catch((error: unknown) => {
        // After a full disk or a damaged file, SQLite has already rolled back; that error is the one to report.
        if (!String(error).includes('no transaction is active')) throw error;
      }),
    releaseConnection: async (connection) => {
      if (connection instanceof Connection) connection.release();
    },
    destroy: async () => {
      const release = await mutex.acquire();
      await worker.close().finally(release);
    },
  };
}

/** Creates the Kysely dialect for the worker's database: one connection, guarded by a mutex. */
export function createDialect(worker: DatabaseWorker, mutex: Mutex): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => createDriver(worker, mutex),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}
