import type { UsageGrouping, UsageGroups, UsageOverview } from '../../../shared/history/usage.ts';
import type { Store } from '../../store/store.ts';
import { readUsageRows, type UsageOfExchange, type UsageRowQuery } from './usage-rows.ts';
import { type FindTitles, readRunGroups, readTagGroups } from './usage-by-rows.ts';
import {
  readGroups,
  readOverview,
  readUsage,
  type UsageKey,
  type UsageQuery,
  type UsageRow,
} from './usage-report.ts';

/** Reports on the usage of periods of local days. */
export interface UsageReports {
  /** Returns the usage of a period by key: days and hours newest first. @throws UserError */
  usage(by: UsageKey, query: UsageQuery): Promise<UsageRow[]>;
  /** Returns the usage of a period, in time, by hour of the week, and against the period before. @throws UserError */
  usageOverview(query: UsageQuery): Promise<UsageOverview>;
  /** Returns the usage of a period by a property or by tag. @throws UserError */
  usageGroups(
    query: UsageQuery & { readonly by: Exclude<UsageGrouping, 'run'> },
  ): Promise<UsageGroups>;
  /** Returns the usage of the latest hundred runs of a period. @throws UserError */
  usageOfRuns(query: UsageQuery, findTitles: FindTitles): Promise<UsageGroups>;
  /** Yields the usage of each exchange of a period, oldest first, in batches. */
  usageRows(query: UsageRowQuery): AsyncGenerator<readonly UsageOfExchange[], void, void>;
}

/** Creates the reports of a history. */
export function openUsageReports(store: Store): UsageReports {
  return {
    usage: (by, query) => readUsage(store, by, query),
    usageOverview: (query) => readOverview(store, query),
    usageGroups: async ({ by, ...query }) =>
      by === 'tag' ? await readTagGroups(store, query) : await readGroups(store, { ...query, by }),
    usageOfRuns: (query, findTitles) => readRunGroups(store, query, findTitles),
    usageRows: (query) => readUsageRows(store, query),
  };
}
