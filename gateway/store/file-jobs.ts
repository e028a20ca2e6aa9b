import { Worker } from 'node:worker_threads';
import type { Failure } from './worker-protocol.ts';
import { toStoreError } from './database-worker.ts';

/** Work on a whole database file. It takes long, so it is done in a thread of its own, over a connection of its own. */
export type FileJob =
  /** Looks for damage. `thorough`: indices are compared with their tables, too, and references are followed. */
  | {
      readonly kind: 'check';
      readonly file: string;
      readonly thorough: boolean;
      /** Looks at the file alone, as if it had no log. */
      readonly withoutLog?: boolean;
    }
  /** Writes a copy into the empty file `to`; all of it with `parts: null`. */
  | {
      readonly kind: 'copy';
      readonly file: string;
      readonly to: string;
      readonly applicationId: number;
      readonly parts: CopyParts | null;
    }
  /** Takes the search index of the history out, which the next start makes anew. */
  | { readonly kind: 'drop-search-index'; readonly file: string }
  /** Makes the indices anew. */
  | { readonly kind: 'reindex'; readonly file: string }
  /** Counts rows. A table that is missing has none. */
  | { readonly kind: 'count'; readonly file: string; readonly tables: readonly string[] };

/** What of a database is copied. */
export interface CopyParts {
  /** They make the empty database. */
  readonly statements: readonly string[];
  /** Their rows are copied: all columns that both have. */
  readonly tables: readonly string[];
  /** Statements that change the copy before it is whole. */
  readonly afterwards: readonly string[];
}

/** One thing that is wrong, and the table it is in; `null`: no table can be named. */
export interface Finding {
  readonly table: string | null;
  readonly text: string;
}

/** What the thread says. */
export type FileJobReply =
  | { readonly kind: 'finding'; readonly finding: Finding }
  | { readonly kind: 'done'; readonly counts: Readonly<Record<string, number>> }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** A job under way. */
export interface RunningJob {
  /** Rows by table, for a count or a copy. Rejects with what SQLite said, as a StoreError where a person can act on it. */
  readonly done: Promise<Readonly<Record<string, number>>>;
  /** What was found so far. */
  readonly findings: readonly Finding[];
  /** Ends it as soon as SQLite lets go. A running copy leaves part of a file behind. */
  cancel(this: void): Promise<void>;
}

/** Begins a job. It does not keep the process alive by itself. */
export function startFileJob(job: FileJob): RunningJob {
  const name = import.meta.url.endsWith('.ts') ? './file-worker.ts' : './file-worker.js';
  const worker = new Worker(new URL(name, import.meta.url), { workerData: job });
  const findings: Finding[] = [];
  const { promise: done, resolve, reject } = Promise.withResolvers<Record<string, number>>();
  // Who cancels need not wait for it.
  done.catch(() => undefined);
  worker.on('message', (reply: FileJobReply) => {
    if (reply.kind === 'finding') findings.push(reply.finding);
    else if (reply.kind === 'done') resolve(reply.counts);
    else reject(toStoreError(reply.failure, job.file));
  });
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('The work on the file was ended early.')));
  return {
    done,
    findings,
    cancel: async () => void (await worker.terminate()),
  };
}

/** Does a job and gives the rows that it counted. */
export async function runFileJob(job: FileJob): Promise<Readonly<Record<string, number>>> {
  return await startFileJob(job).done;
}
