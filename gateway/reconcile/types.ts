import type { ExchangeId } from '../../shared/exchange/exchange.ts';
import type { History } from '../history/history.ts';
import type { CollectedRows, Faults } from './collect-rows.ts';
import type { UsageColumns } from '../../shared/reconcile/usage-columns.ts';
import type { Sums } from './sums.ts';

/** A request, or a sum, that is on one side only or differs. */
export interface Difference {
  /** Unix time in milliseconds of the exchange or the row, or the beginning of the step of a sum. */
  readonly at: number;
  /** The end of the step of a sum; `null` for a request. */
  readonly until: number | null;
  readonly model: string;
  /** The line of the row, or its number in a JSON file; `null` without a single row. */
  readonly place: number | null;
  /** `null` without a single exchange. */
  readonly exchange: ExchangeId | null;
  readonly export: Sums | null;
  readonly history: Sums | null;
}

/** The first of some differences by time. */
export interface DifferenceList {
  readonly count: number;
  readonly first: readonly Difference[];
}

/** What the two sides of one period have. */
export interface Comparison {
  readonly export: Sums;
  readonly history: Sums;
  /** Requests or sums that are the same on both sides. */
  readonly equal: number;
  readonly different: DifferenceList;
  readonly onlyInExport: DifferenceList;
  readonly onlyInHistory: DifferenceList;
  /** Exchanges whose tokens are estimated or unknown, and those whose cost is unknown. */
  readonly inexact: number;
  readonly withoutCost: number;
  /** Rows of the export that were counted. */
  readonly counted: number;
}

/** The comparison of an export with the history. The difference is the export minus the history. */
export interface Reconciliation extends Omit<Comparison, 'counted'> {
  /** The times of the period in Unix milliseconds; `until` is excluded. */
  readonly since: number;
  readonly until: number;
  readonly difference: Sums;
  /** Rows of other times. */
  readonly outside: number;
  readonly unreadable: Faults;
}

export interface ReconcileQuery {
  readonly file: string;
  /** The id of the service. */
  readonly service: string;
  readonly columns: UsageColumns;
  /** `null`: the days of the export. Unix milliseconds; `until` is excluded. Those of sums are extended to whole steps. */
  readonly since: number | null;
  readonly until: number | null;
}

/** Both sides of a comparison. */
export interface Sides extends Pick<ReconcileQuery, 'service' | 'columns'> {
  readonly history: Pick<History, 'usageRows'>;
  readonly collected: CollectedRows;
  readonly since: number;
  readonly until: number;
}
