import { Mutex } from 'async-mutex';
import { join } from 'node:path';
import type { UsageColumns } from '../../shared/reconcile/usage-columns.ts';
import type { History } from '../history/history.ts';
import type { Host } from '../host.ts';
import type { Store } from '../store/store.ts';
import { readColumns, saveColumns } from './columns/saved-columns.ts';
import type { ExportSample } from './read-sample.ts';
import { runJob } from './thread/run-job.ts';
import type { Reconciliation, ReconcileQuery } from './types.ts';
import { ExportUploads } from './uploads.ts';

export type { Reconciliation } from './types.ts';

/** The beginning of an export with the columns that a person confirmed before, if it has them. */
export interface RememberedSample extends ExportSample {
  readonly remembered: UsageColumns | null;
}

/** Usage exports that windows send and compare. */
export interface UsageExports {
  /** Begins a file of so many bytes. @throws UserError */
  begin(bytes: number): Promise<string>;
  /** @throws NotFoundError, UserError */
  append(upload: string, chunk: Uint8Array): Promise<void>;
  /** @throws NotFoundError; UserError for a file without rows */
  sample(upload: string, service: string, signal: AbortSignal): Promise<RememberedSample>;
  /** Compares a file with the history, and remembers the columns for the service. @throws NotFoundError, UserError, StoreError */
  compare(
    upload: string,
    query: Omit<ReconcileQuery, 'file'>,
    signal: AbortSignal,
  ): Promise<Reconciliation>;
  forget(upload: string): Promise<void>;
  /** Ends the work on all files and removes them. */
  close(): Promise<void>;
}

export interface UsageExportsOptions {
  readonly host: Pick<Host, 'dataDir' | 'now' | 'randomBytes'>;
  readonly store: Store;
  readonly history: Pick<History, 'usageRows'>;
}

/** Keeps the exports in a folder of the data folder while they are used. */
export function openUsageExports({ host, store, history }: UsageExportsOptions): UsageExports {
  const uploads = new ExportUploads(join(host.dataDir, 'usage-exports'), host);
  const closing = new AbortController();
  // One comparison at a time, because each may take half a GiB of memory.
  const mutex = new Mutex();
  const both = (signal: AbortSignal) => AbortSignal.any([signal, closing.signal]);
  return {
    begin: (bytes) => uploads.begin(bytes),
    append: (upload, chunk) => uploads.append(upload, chunk),
    forget: (upload) => uploads.forget(upload),
    sample: async (upload, service, signal) => {
      const sample = await uploads.read(upload, (file) =>
        runJob({ kind: 'sample', file }, history, both(signal)),
      );
      return { ...sample, remembered: await readColumns(store, service, sample) };
    },
    compare: async (upload, query, signal) =>
      await uploads.read(upload, (file) =>
        mutex.runExclusive(async () => {
          const job = { kind: 'compare', query: { ...query, file } } as const;
          const found = await runJob(job, history, both(signal));
          await saveColumns(store, query.service, query.columns);
          return found;
        }),
      ),
    close: async () => {
      closing.abort();
      await uploads.close();
    },
  };
}
