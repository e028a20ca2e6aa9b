import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { checkFile, type FileCheck, type Finding } from './check-file.ts';
import type { Failure } from './worker-protocol.ts';
import { toStoreError } from './database-worker.ts';

/** Work on a whole database file, with its own connection. */
export type FileJob =
  | ({ readonly kind: 'check' } & FileCheck)
  /** Copies into the empty file `to`; copies everything when `parts` is `null`. */
  | {
      readonly kind: 'copy';
      readonly file: string;
      readonly to: string;
      readonly applicationId: number;
      readonly parts: CopyParts | null;
    }
  /** Removes the search index of the history, which the next start rebuilds. */
  | { readonly kind: 'drop-search-index'; readonly file: string }
  /** Rebuilds the indices. */
  | { readonly kind: 'reindex'; readonly file: string }
  /** Counts rows. A missing table counts as empty. */
  | { readonly kind: 'count'; readonly file: string; readonly tables: readonly string[] };

/** The parts of a database that are copied. */
export interface CopyParts {
  /** Statements that create the empty database. */
  readonly statements: readonly string[];
  /** Tables whose rows are copied: all columns that both databases have. */
  readonly tables: readonly string[];
  /** Statements that change the copy before it is complete. */
  readonly afterwards: readonly string[];
}

/** Messages of the thread. */
export type FileJobReply =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'done'; readonly counts: Readonly<Record<string, number>> }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A running job. */
export interface RunningJob {
  /** Rows by table, for a count or a copy. Rejects with SQLite's error, as a StoreError where a person can act on it. */
  readonly done: Promise<Readonly<Record<string, number>>>;
  /** Findings so far. */
  readonly findings: readonly Finding[];
  /** Cancels the job as soon as SQLite allows. A cancelled copy leaves a partial file. */
  cancel(this: void): Promise<void>;
}

/** A file up to this size is checked in less time than it takes to start a thread. */
const SMALL_BYTES = 1024 * 1024;

/** Checks a file before it is used: a small one at once in this thread, a larger one in its own. */
export function startInitialCheck(check: FileCheck): RunningJob {
  if (!isSmall(check.file)) return startFileJob({ kind: 'check', ...check });
  const findings: Finding[] = [];
  const run = async () => {
    try {
      checkFile(check, (finding) => findings.push(finding));
      return {};
    } catch (error) {
      throw toStoreError(error, check.file);
    }
  };
  return { done: run(), findings, cancel: async () => undefined };
}

/** Whether a database and its log are small. */
function isSmall(file: string): boolean {
  const sizes = [file, `${file}-wal`].map(
    (path) => statSync(path, { throwIfNoEntry: false })?.size,
  );
  return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0) <= SMALL_BYTES;
}

/** Starts a job in its own thread, because it may take long. The job does not keep the process alive. */
export function startFileJob(job: FileJob): RunningJob {
  const name = import.meta.url.endsWith('.ts') ? './file-worker.ts' : './file-worker.js';
  const worker = new Worker(new URL(name, import.meta.url), { workerData: job });
  const findings: Finding[] = [];
  const { promise: done, resolve, reject } = Promise.withResolvers<Record<string, number>>();
  // A caller that cancels need not handle the rejection.
  done.catch(() => undefined);
  worker.on('message', (reply: FileJobReply) => {
    if (reply.kind === 'finding') findings.push(reply.finding);
    else if (reply.kind === 'done') resolve(reply.counts);
    else reject(toStoreError(reply.failure, job.file));
  });
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('The operation on the file was cancelled.')));
  return {
    done,
    findings,
    cancel: async () => void (await worker.terminate()),
  };
}

/** Runs a job and resolves with the rows that it counted. */
export async function runFileJob(job: FileJob): Promise<Readonly<Record<string, number>>> {
  return await startFileJob(job).done;
}
