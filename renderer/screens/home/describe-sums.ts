import type { UsageSums } from '../../../shared/history.ts';
import { formatCount } from '../../../shared/format.ts';

type Sources = Pick<UsageSums, 'reported' | 'estimated' | 'unknown'>;

/** Describes how many requests the token counts include, and how many they miss. */
export function describeSources({ reported, estimated, unknown }: Sources): string {
  if (reported + estimated + unknown === 0) return 'nothing yet';
  if (estimated + unknown === 0) return 'reported by the service';
  const parts = [
    reported > 0 ? `reported for ${formatCount(reported)}` : '',
    estimated > 0 ? `estimated for ${formatCount(estimated)}` : '',
    unknown > 0 ? `unknown for ${formatCount(unknown)}` : '',
  ];
  return `${parts.filter(Boolean).join(', ')} ${unknown === 1 || (unknown === 0 && estimated === 1) ? 'request' : 'requests'}`;
}

/** Formats the share of failed requests: `2.5% of requests`. */
export function describeShare(errors: number, exchanges: number): string {
  if (exchanges === 0) return 'no requests yet';
  if (errors === 0) return 'none failed';
  const share = (errors / exchanges) * 100;
  return `${share < 10 ? share.toFixed(1) : Math.round(share)}% of requests`;
}

/** Adds up several days. A sum is `null` when no day had that number. */
export function sumDays(days: readonly UsageSums[]): UsageSums {
  const total = (field: keyof UsageSums): number =>
    days.reduce((sum, day) => sum + (day[field] ?? 0), 0);
  const known = (field: 'input' | 'output') =>
    days.some((day) => day[field] !== null) ? total(field) : null;
  return {
    exchanges: total('exchanges'),
    errors: total('errors'),
    input: known('input'),
    output: known('output'),
    reported: total('reported'),
    estimated: total('estimated'),
    unknown: total('unknown'),
  };
}
