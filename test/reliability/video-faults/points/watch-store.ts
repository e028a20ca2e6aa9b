import { DatabaseSync, StatementSync } from 'node:sqlite';
import type { VideoState } from '../../../../shared/video/video.ts';
import { wrap } from './wrap.ts';

/** Table names are repeated here, because importing the schemas would slow down each start of the store. */
const STATES: Readonly<Record<VideoState, true>> = {
  draft: true,
  waiting: true,
  uploading: true,
  submitting: true,
  unsure: true,
  identifying: true,
  'needs-answer': true,
  rendering: true,
  downloading: true,
  done: true,
  failed: true,
  'timed-out': true,
  cancelled: true,
};

/** Reports a point before and after every write of the store: `before commit of video_job: rendering`. */
export function watchStore(pass: (point: string) => void): void {
  let transaction: string[] | null = null;
  const around = (sql: string, parameters: readonly unknown[], run: () => unknown): unknown => {
    const word = /^\s*(\w+)/u.exec(sql)?.[1]?.toLowerCase() ?? '';
    const ends = word === 'commit' || word === 'rollback';
    const point = word === 'commit' ? `commit of ${transaction?.[0]}` : null;
    if (word === 'begin') transaction = [];
    if (ends) transaction = null;
    if (!['insert', 'update', 'delete', 'commit'].includes(word)) return run();
    if (transaction !== null) {
      transaction.push(nameOf(sql, parameters));
      return run();
    }
    const name = point ?? `write of ${nameOf(sql, parameters)}`;
    pass(`before ${name}`);
    const result = run();
    pass(`after ${name}`);
    return result;
  };
  wrap(DatabaseSync.prototype, 'exec', ([sql], run) => around(String(sql), [], run));
  wrapStatement('run', around);
  wrapStatement('all', around);
}

type AroundSql = (sql: string, parameters: readonly unknown[], run: () => unknown) => unknown;

function wrapStatement(name: 'run' | 'all', around: AroundSql): void {
  const original = StatementSync.prototype[name];
  Reflect.set(StatementSync.prototype, name, function (this: StatementSync, ...args: unknown[]) {
    return around(this.sourceSQL, args, () => Reflect.apply(original, this, args));
  });
}

/** Returns the table, and for a job also the state after the write. */
function nameOf(sql: string, parameters: readonly unknown[]): string {
  const table = /\b(?:into|update|from)\s+"?(\w+)/iu.exec(sql)?.[1] ?? sql.slice(0, 40);
  const state = parameters.find((value) => typeof value === 'string' && value in STATES);
  return table === 'video_job' && typeof state === 'string' ? `${table}: ${state}` : table;
}
