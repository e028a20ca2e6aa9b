import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import {
  failureOf,
  type Reply,
  type Request,
  type Result,
  type SqlValue,
  type Step,
} from './messages.ts';

const BUSY_MS = 5_000;
const WATCH_MS = 500;
const SQLITE_BUSY = 5;
const NOTHING: Result = { rows: [], changes: 0, lastId: 0 };
const CHANGED: Reply = { kind: 'changed-outside' };

/** SQLite does not wait its busy timeout for a change of the journal mode, so two first starts must take turns here. */
function enterWal(database: DatabaseSync): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (let waited = 0; ; waited += 20) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (((failureOf(error).errcode ?? 0) & 0xff) !== SQLITE_BUSY || waited >= BUSY_MS)
        throw error;
      Atomics.wait(pause, 0, 0, 20);
    }
  }
}

function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: BUSY_MS, enableForeignKeyConstraints: true });
  enterWal(database);
  database.exec('PRAGMA synchronous = NORMAL');
  // On macOS only this reaches the disk itself; elsewhere it means nothing.
  database.exec('PRAGMA fullfsync = ON');
  return database;
}

function answerWith(statement: StatementSync, parameters: readonly SqlValue[]): Result {
  if (statement.columns().length > 0) {
    return { rows: statement.all(...parameters), changes: 0, lastId: 0 };
  }
  const { changes, lastInsertRowid } = statement.run(...parameters);
  return { rows: [], changes, lastId: lastInsertRowid };
}

/** SQLite's data version moves when another connection commits, never by our own writes. */
function watchOutside(database: DatabaseSync, tell: () => void): NodeJS.Timeout {
  const statement = database.prepare('PRAGMA data_version');
  const read = () => attempt(() => ({ ...NOTHING, rows: statement.all() }));
  let seen = JSON.stringify(read());
  const look = () => {
    const reply = read();
    if (reply.kind !== 'done') return;
    const version = JSON.stringify(reply);
    if (version !== seen) tell();
    seen = version;
  };
  return setInterval(look, WATCH_MS).unref();
}

/** Runs what the main thread asks, one thing after the other. */
function serve(database: DatabaseSync, port: MessagePort): void {
  const prepared = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const statement = prepared.get(sql) ?? database.prepare(sql);
    prepared.set(sql, statement);
    return statement;
  };

  const runStep = ({ sql, rows }: Step): number => {
    const statement = prepare(sql);
    let changes = 0;
    for (const row of rows) changes += Number(statement.run(...row).changes);
    return changes;
  };
  const transact = (steps: readonly Step[], onlyIfFirst: boolean): Result => {
    database.exec('BEGIN IMMEDIATE');
    try {
      const [first, ...rest] = steps;
      const changes = first === undefined ? 0 : runStep(first);
      if (onlyIfFirst && changes === 0) {
        database.exec('ROLLBACK');
        return NOTHING;
      }
      for (const step of rest) runStep(step);
      database.exec('COMMIT');
      return { ...NOTHING, changes };
    } catch (error) {
      // A full disk or a damaged file has rolled back by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  };
  const write = (request: Extract<Request, { kind: 'write' }>): Result => {
    const { steps, onlyIfFirst = false, durable = false } = request;
    if (!durable) return transact(steps, onlyIfFirst);
    // With a write-ahead log, FULL is what syncs each commit (https://www.sqlite.org/pragma.html#pragma_synchronous).
    database.exec('PRAGMA synchronous = FULL');
    try {
      return transact(steps, onlyIfFirst);
    } finally {
      database.exec('PRAGMA synchronous = NORMAL');
    }
  };

  const run = (request: Request): Result => {
    switch (request.kind) {
      case 'query':
        return answerWith(database.prepare(request.sql), request.parameters);
      case 'write':
        return write(request);
      case 'close':
        clearInterval(watch);
        database.close();
        return NOTHING;
    }
  };
  const watch = watchOutside(database, () => port.postMessage(CHANGED));
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

function start(port: MessagePort, file: string): void {
  const opened = attempt(() => {
    serve(openDatabase(file), port);
    return NOTHING;
  });
  port.postMessage(opened);
}

if (parentPort !== null) start(parentPort, String(workerData));
