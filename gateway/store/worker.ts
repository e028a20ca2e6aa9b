import type { StatementSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { WriteConnection } from './connection.ts';
import {
  failureOf,
  type Opening,
  type Reply,
  type Request,
  type Result,
  type SqlValue,
  type Step,
} from './messages.ts';

const WATCH_MS = 500;
const NOTHING: Result = { rows: [], changes: 0, lastId: 0 };
const CHANGED: Reply = { kind: 'changed-outside' };

function answerWith(statement: StatementSync, parameters: readonly SqlValue[]): Result {
  if (statement.columns().length > 0) {
    return { rows: statement.all(...parameters), changes: 0, lastId: 0 };
  }
  const { changes, lastInsertRowid } = statement.run(...parameters);
  return { rows: [], changes, lastId: lastInsertRowid };
}

/** SQLite's data version moves when another connection commits, never by our own writes. */
function watchOutside(connection: WriteConnection, tell: () => void): NodeJS.Timeout {
  const read = () =>
    attempt(() => ({ ...NOTHING, rows: connection.prepare('PRAGMA data_version').all() }));
  let seen = JSON.stringify(read());
  const look = () => {
    connection.shareOnceThereIsRoom();
    const reply = read();
    if (reply.kind !== 'done') return;
    const version = JSON.stringify(reply);
    if (version !== seen) tell();
    seen = version;
  };
  return setInterval(look, WATCH_MS).unref();
}

/** Runs what the main thread asks, one thing after the other. */
function serve(connection: WriteConnection, port: MessagePort): void {
  const runStep = ({ sql, rows }: Step): number => {
    const statement = connection.prepareOnce(sql);
    let changes = 0;
    for (const row of rows) changes += Number(statement.run(...row).changes);
    return changes;
  };
  const transact = (steps: readonly Step[], onlyIfFirst: boolean): Result => {
    connection.exec('BEGIN IMMEDIATE');
    try {
      const [first, ...rest] = steps;
      const changes = first === undefined ? 0 : runStep(first);
      if (onlyIfFirst && changes === 0) {
        connection.exec('ROLLBACK');
        return NOTHING;
      }
      for (const step of rest) runStep(step);
      connection.exec('COMMIT');
      return { ...NOTHING, changes };
    } catch (error) {
      // A full disk or a damaged file has rolled back by itself.
      if (connection.isTransaction) connection.exec('ROLLBACK');
      throw error;
    }
  };
  const write = (request: Extract<Request, { kind: 'write' }>): Result => {
    const { steps, onlyIfFirst = false, durable = false } = request;
    if (!durable) return transact(steps, onlyIfFirst);
    // With a write-ahead log, FULL is what syncs each commit (https://www.sqlite.org/pragma.html#pragma_synchronous).
    connection.exec('PRAGMA synchronous = FULL');
    try {
      return transact(steps, onlyIfFirst);
    } finally {
      connection.exec('PRAGMA synchronous = NORMAL');
    }
  };

  const run = (request: Request): Result => {
    switch (request.kind) {
      case 'query':
        return answerWith(connection.prepare(request.sql), request.parameters);
      case 'write':
        return write(request);
      case 'close':
        clearInterval(watch);
        connection.close();
        return NOTHING;
    }
  };
  const watch = watchOutside(connection, () => port.postMessage(CHANGED));
  port.on('message', (request: Request) => {
    port.postMessage(attempt(() => run(request)));
    if (request.kind === 'close') port.close();
  });
}

function attempt(run: () => Result): Reply {
  try {
    return { kind: 'done', result: run() };
  } catch (error) {
    return { kind: 'failed', failure: failureOf(error) };
  }
}

function start(port: MessagePort, { file, ...how }: Opening & { readonly file: string }): void {
  const opened = attempt(() => {
    serve(new WriteConnection(file, how), port);
    return NOTHING;
  });
  port.postMessage(opened);
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an edge: what thread.ts hands over
if (parentPort !== null) start(parentPort, workerData as Opening & { readonly file: string });
