import type { StatementSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { WriteConnection } from './connection.ts';
import {
  toFailure,
  type OpenOptions,
  type WorkerReply,
  type WorkerRequest,
  type StatementResult,
  type SqlValue,
  type Statement,
} from './worker-protocol.ts';

const WATCH_INTERVAL_MS = 500;
const EMPTY_RESULT: StatementResult = { rows: [], changes: 0, lastId: 0 };
const EXTERNAL_CHANGE: WorkerReply = { kind: 'changed-outside' };

function runQuery(statement: StatementSync, parameters: readonly SqlValue[]): StatementResult {
  if (statement.columns().length > 0) {
    return { rows: statement.all(...parameters), changes: 0, lastId: 0 };
  }
  const { changes, lastInsertRowid } = statement.run(...parameters);
  return { rows: [], changes, lastId: lastInsertRowid };
}

/** Watches SQLite's data version, which changes when another connection commits, never by our own writes. */
function watchExternalChanges(connection: WriteConnection, notify: () => void): NodeJS.Timeout {
  const read = () =>
    toReply(() => ({ ...EMPTY_RESULT, rows: connection.prepare('PRAGMA data_version').all() }));
  let seen = JSON.stringify(read());
  const check = () => {
    connection.shareOnceThereIsRoom();
    const reply = read();
    if (reply.kind !== 'done') return;
    const version = JSON.stringify(reply);
    if (version !== seen) notify();
    seen = version;
  };
  return setInterval(check, WATCH_INTERVAL_MS).unref();
}

/** Handles the requests of the main thread, one after the other. */
function serve(connection: WriteConnection, port: MessagePort): void {
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

  const run = (request: WorkerRequest): StatementResult => {
    switch (request.kind) {
      case 'query':
        return runQuery(connection.prepare(request.sql), request.parameters);
      case 'write':
        return write(request);
      case 'close':
        clearInterval(watch);
        connection.close();
        return EMPTY_RESULT;
    }
  };
  const watch = watchExternalChanges(connection, () => port.postMessage(EXTERNAL_CHANGE));
  port.on('message', (request: WorkerRequest) => {
    port.postMessage(toReply(() => run(request)));
    if (request.kind === 'close') port.close();
  });
}

function toReply(run: () => StatementResult): WorkerReply {
  try {
    return { kind: 'done', result: run() };
  } catch (error) {
    return { kind: 'failed', failure: toFailure(error) };
  }
}

function start(
  port: MessagePort,
  { file, ...openOptions }: OpenOptions & { readonly file: string },
): void {
  const opened = toReply(() => {
    serve(new WriteConnection(file, openOptions), port);
    return EMPTY_RESULT;
  });
  port.postMessage(opened);
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: what thread.ts hands over
if (parentPort !== null) start(parentPort, workerData as OpenOptions & { readonly file: string });
