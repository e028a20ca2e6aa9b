import type { StatementSync } from 'node:sqlite';
import { parentPort, type MessagePort } from 'node:worker_threads';
import { WriteConnection } from './connection.ts';
import { watchExternalChanges } from './external-change-watch.ts';
import {
  type OpenRequest,
  toFailure,
  type WorkerReply,
  type WorkerRequest,
  type StatementResult,
  type SqlValue,
  type Statement,
} from './worker-protocol.ts';

const EMPTY_RESULT: StatementResult = { rows: [], changes: 0, lastId: 0 };
const EXTERNAL_CHANGE: WorkerReply = { kind: 'changed-outside' };

function runQuery(statement: StatementSync, parameters: readonly SqlValue[]): StatementResult {
  if (statement.columns().length > 0) {
    return { rows: statement.all(...parameters), changes: 0, lastId: 0 };
  }
  const { changes, lastInsertRowid } = statement.run(...parameters);
  return { rows: [], changes, lastId: lastInsertRowid };
}

/** Creates the function that runs the requests for an open database. */
function createRunner(
  connection: WriteConnection,
  port: MessagePort,
): (request: WorkerRequest) => StatementResult {
  const runStatement = ({ sql, rows }: Statement): number => {
    const statement = connection.prepareOnce(sql);
    let changes = 0;
    for (const row of rows) changes += Number(statement.run(...row).changes);
    return changes;
  };
  const transact = (statements: readonly Statement[], onlyIfFirst: boolean): StatementResult => {
    connection.exec('BEGIN IMMEDIATE');
    try {
      const [first, ...rest] = statements;
      const changes = first === undefined ? 0 : runStatement(first);
      if (onlyIfFirst && changes === 0) {
        connection.exec('ROLLBACK');
        return EMPTY_RESULT;
      }
      for (const statement of rest) runStatement(statement);
      connection.exec('COMMIT');
      return { ...EMPTY_RESULT, changes };
    } catch (error) {
      // After a full disk or a damaged file, SQLite has already rolled back.
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  };
  const write = (request: Extract<WorkerRequest, { kind: 'write' }>): StatementResult => {
    const { statements, onlyIfFirst = false, durable = false } = request;
    if (!durable) return transact(statements, onlyIfFirst);
    // With a write-ahead log, only FULL syncs each commit (https://www.sqlite.org/pragma.html#pragma_synchronous).
    connection.exec('PRAGMA synchronous = FULL');
    try {
      return transact(statements, onlyIfFirst);
    } finally {
      connection.exec('PRAGMA synchronous = NORMAL');
    }
  };

  const stopWatching = watchExternalChanges(connection, () => port.postMessage(EXTERNAL_CHANGE));
  return (request) => {
    switch (request.kind) {
      case 'query':
        return runQuery(connection.prepare(request.sql), request.parameters);
      case 'write':
        return write(request);
      case 'close':
        stopWatching();
        connection.close();
        return EMPTY_RESULT;
    }
  };
}

function toReply(run: () => StatementResult): WorkerReply {
  try {
    return { kind: 'done', result: run() };
  } catch (error) {
    return { kind: 'failed', failure: toFailure(error) };
  }
}

/** Handles the requests of the main thread, one after the other. */
function serve(port: MessagePort): void {
  let runRequest: ReturnType<typeof createRunner> | null = null;
  const run = (request: OpenRequest | WorkerRequest): StatementResult => {
    if (request.kind !== 'open') {
      if (runRequest === null) throw new Error('The database is not open.');
      return runRequest(request);
    }
    runRequest = createRunner(new WriteConnection(request.file, request.options), port);
    return EMPTY_RESULT;
  };
  port.on('message', (request: OpenRequest | WorkerRequest) => {
    port.postMessage(toReply(() => run(request)));
    if (request.kind === 'close') port.close();
  });
}

if (parentPort !== null) serve(parentPort);
