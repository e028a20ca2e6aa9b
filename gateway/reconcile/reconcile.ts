export { checkColumns, listNames } from './check-columns.ts';
export { reconcile } from './compare-export.ts';
export { readColumns, saveColumns } from './columns/saved-columns.ts';
export { type ExportSample, readSample } from './read-sample.ts';
export type { Sums } from './sums.ts';
export type { Difference, DifferenceList, Reconciliation, ReconcileQuery } from './types.ts';
