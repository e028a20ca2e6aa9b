import { join } from 'node:path';
import { findStoredTitles } from '../../../gateway/bodies/read-file.ts';
import type { History } from '../../../gateway/history/history.ts';
import type {
  UsageGroups,
  UsageOf,
  UsagePeriod,
  UsageTotals,
} from '../../../shared/history/usage.ts';

export const USAGE_KEYS = [
  'day',
  'hour',
  'model',
  'client',
  'run',
  'project',
  'route',
  'tag',
] as const;
export type UsageKey = (typeof USAGE_KEYS)[number];

/** The usage of one key, `null` for exchanges without one. `run`: the id of a run, whose task is the key; `null` for others. */
export interface UsageRow extends UsageTotals {
  readonly key: string | null;
  readonly run?: string | null;
}

interface UsageSource {
  readonly history: History;
  readonly dataDir: string;
}

interface UsageQuery {
  readonly by: UsageKey;
  readonly scope: UsageOf;
  readonly period: UsagePeriod;
}

/** Reads the usage of a period: days and hours newest first, groups by cost. */
export async function readUsage(
  { history, dataDir }: UsageSource,
  { by, ...query }: UsageQuery,
): Promise<readonly UsageRow[]> {
  if (by === 'day' || by === 'hour') return await history.usage(by, query);
  if (by !== 'run') return toRows(await history.usageGroups({ ...query, by }));
  const file = join(dataDir, 'bodies.db');
  return toRows(
    await history.usageOfRuns(query, (runs) => Promise.resolve(findStoredTitles(file, runs))),
  );
}

function toRows({ groups }: UsageGroups): readonly UsageRow[] {
  return groups.map(({ name, ...rest }) => ({ key: name === '' ? null : name, ...rest }));
}
