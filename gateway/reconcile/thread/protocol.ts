import type { History, UsageOfExchange } from '../../history/history.ts';
import type { ExportSample } from '../read-sample.ts';
import type { Reconciliation, ReconcileQuery } from '../types.ts';

/** Work on a usage export that takes long, so it runs in its own thread. */
export type ReconcileJob =
  | { readonly kind: 'sample'; readonly file: string }
  /** Checks that the file has the columns, and compares it. */
  | { readonly kind: 'compare'; readonly query: ReconcileQuery };

/** The results of the jobs. */
export interface JobResults {
  readonly sample: ExportSample;
  readonly compare: Reconciliation;
}

/** The exchanges that the thread needs. */
export type RowQuery = Parameters<History['usageRows']>[0];

/** Exchanges that the thread gets for a `next`; `null` after the last ones. */
export type RowBatch = readonly UsageOfExchange[] | null;

/** Messages of the thread. `read`: it needs these exchanges. `next`: it waits for the next of them. */
export type ThreadMessage =
  | { readonly kind: 'read'; readonly query: RowQuery }
  | { readonly kind: 'next' }
  | { readonly kind: 'done'; readonly result: JobResults[keyof JobResults] }
  /** The file or the question is at fault; the message is for people. */
  | { readonly kind: 'refused'; readonly message: string }
  | { readonly kind: 'failed'; readonly reason: string };
