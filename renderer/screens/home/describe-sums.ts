import type { UsageSums } from '../../../shared/history/history.ts';
import { formatCount, pluralize } from '../../../shared/format.ts';

type Sources = Pick<UsageSums, 'reported' | 'estimated' | 'unknown'>;

/** Describes how many answers the token counts include, and how many they miss. */
export function describeSources({ reported, estimated, unknown }: Sources): string {
  const answers = reported + estimated + unknown;
  if (answers === 0) return 'nothing yet';
  if (reported === answers) return 'reported by the service';
  const rest = estimated > 0 ? `, ${formatCount(estimated)} estimated` : '';
  return `${formatCount(reported)} of ${pluralize(answers, 'answer')} reported tokens${rest}`;
}

/** Adds up several days. A sum is `null` when no day had that number. */
export function sumDays(days: readonly UsageSums[]): UsageSums {
  const total = (field: keyof UsageSums): number =>
    days.reduce((sum, day) => sum + (day[field] ?? 0), 0);
  const known = (field: 'input' | 'output' | 'cost') =>
    days.some((day) => day[field] !== null) ? total(field) : null;
  return {
    exchanges: total('exchanges'),
    errors: total('errors'),
    refused: total('refused'),
    input: known('input'),
    output: known('output'),
    reported: total('reported'),
    estimated: total('estimated'),
    unknown: total('unknown'),
    cost: known('cost'),
    costEstimated: total('costEstimated'),
    unpriced: total('unpriced'),
  };
}
