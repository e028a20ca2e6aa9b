import { DatabaseSync, StatementSync } from 'node:sqlite';
import { z } from 'zod';

/** Where a process ends: before a statement with this text is run on `bodies.db` for this time, from 1. */
const KillPoint = z.object({ text: z.string(), time: z.number() });
export type KillPoint = z.infer<typeof KillPoint>;

/** The environment variable with the point as JSON. */
export const KILL_POINT = 'GATEHOUSE_TEST_KILL_POINT';

/** The statements of `bodies.db` with their text. */
const statements = new WeakMap<object, string>();

/** Has a method call another function with its arguments before, and one with its result afterwards. */
function surround(
  owner: object,
  name: string,
  { before, after }: { before?: Called; after?: Called },
): void {
  const original: unknown = Reflect.get(owner, name);
  if (typeof original !== 'function') throw new Error(`There is no method ${name}.`);
  Object.defineProperty(owner, name, {
    value(this: object, ...values: unknown[]): unknown {
      before?.(this, String(values[0]));
      const result: unknown = Reflect.apply(original, this, values);
      if (typeof result === 'object' && result !== null) after?.(this, String(values[0]), result);
      return result;
    },
  });
}

type Called = (owner: object, sql: string, result?: object) => void;

function isBodies(database: object): boolean {
  return database instanceof DatabaseSync && database.location()?.endsWith('bodies.db') === true;
}

/** Ends this process with SIGKILL at a point. It is imported before the process and each of its threads begin. */
function endAt({ text, time }: KillPoint): void {
  let times = 0;
  const pass = (sql: string): void => {
    if (!sql.includes(text)) return;
    times += 1;
    if (times === time) process.kill(process.pid, 'SIGKILL');
  };
  surround(DatabaseSync.prototype, 'exec', {
    before: (database, sql) => {
      if (isBodies(database)) pass(sql);
    },
  });
  surround(DatabaseSync.prototype, 'prepare', {
    after: (database, sql, statement) => {
      if (isBodies(database) && statement !== undefined) statements.set(statement, sql);
    },
  });
  for (const name of ['run', 'get', 'all']) {
    surround(StatementSync.prototype, name, {
      before: (statement) => {
        const sql = statements.get(statement);
        if (sql !== undefined) pass(sql);
      },
    });
  }
}

const point = process.env[KILL_POINT];
if (point !== undefined) endAt(KillPoint.parse(JSON.parse(point)));
