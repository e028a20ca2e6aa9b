import { isFree, NOT_CHARGED } from './charge.ts';
import type { Cost } from './cost.ts';
import { formatMoney } from './format-money.ts';

const SOURCES = {
  reported: 'from known counts',
  estimated: 'estimated',
} as const;

interface CostContext {
  readonly currency: string;
  /** Stable id of the service. */
  readonly service: string | null;
}

/** Describes the cost of an exchange for people; `null` when there is nothing to pay. */
export function describeCost(cost: Cost | null, { currency, service }: CostContext): string | null {
  if (cost === null) return null;
  const { amount, source } = cost;
  if (source === 'unpriced') return 'no price known';
  if (amount === null || source === 'unknown') return 'unknown: there are no counts';
  const how = isFree(service) ? NOT_CHARGED : SOURCES[source];
  return `${formatMoney(amount, currency)} (${how})`;
}

/** Describes the total of what costs are charged, or of all when none is, and what it lacks; `null` when there is nothing to pay. */
export function describeCosts(
  costs: readonly (Cost & Pick<CostContext, 'service'>)[],
  currency: string,
): string | null {
  if (costs.length === 0) return null;
  const charged = costs.filter(({ service }) => !isFree(service));
  const summed = charged.length === 0 ? costs : charged;
  const known = summed.flatMap(({ amount }) => amount ?? []);
  const count = (source: Cost['source']) => summed.filter((one) => one.source === source).length;
  const notes: readonly (readonly [number, string])[] = [
    [count('estimated'), 'estimated'],
    [count('unpriced'), 'without a price'],
    [count('unknown'), 'without counts'],
    [costs.length - summed.length, 'free in the sandbox'],
  ];
  const sum = known.reduce((total, amount) => total + amount, 0);
  const lacking = notes.flatMap(([number, words]) => (number === 0 ? [] : [`${number} ${words}`]));
  if (known.length === 0) return `unknown: ${lacking.join(', ')}`;
  const how = charged.length === 0 ? ` (${NOT_CHARGED})` : '';
  return [`${formatMoney(sum, currency)}${how}`, ...lacking].join(', ');
}

/** The costs of several exchanges together. */
interface CostSums {
  /** The known ones, in millionths of the currency; `null` when none is known. */
  readonly cost: number | null;
  /** Number of exchanges of which it is estimated. */
  readonly costEstimated: number;
  /** Number of exchanges of which it is not known. */
  readonly unpriced: number;
}

/** Formats costs together: an estimate has a tilde; what is not known is said to be, never zero. */
export function formatCostSums(
  { cost, costEstimated, unpriced }: CostSums,
  currency: string,
): string {
  if (cost === null) return unpriced > 0 ? 'no price' : '–';
  return `${costEstimated > 0 ? '~' : ''}${formatMoney(cost, currency)}`;
}

/** Formats what a run costs, and how many of its exchanges that lacks; an en dash when there is nothing to pay. */
export function formatRunCost(
  { isFree: free, ...sums }: CostSums & { readonly isFree: boolean },
  currency: string,
): string {
  const { cost, unpriced } = sums;
  const lacking = cost !== null && unpriced > 0 ? `, ${unpriced} of unknown cost` : '';
  const how = free && cost !== null ? ' not charged' : '';
  return `${formatCostSums(sums, currency)}${how}${lacking}`;
}

/** Formats the cost of an exchange for a table; an empty text when there is nothing to pay. */
export function formatShortCost(cost: Cost | null, { currency, service }: CostContext): string {
  if (cost === null) return '';
  const { amount, source } = cost;
  if (amount === null) return source === 'unpriced' ? 'no price' : '–';
  const how = isFree(service) ? ' not charged' : source === 'estimated' ? ' est.' : '';
  return `${formatMoney(amount, currency)}${how}`;
}
