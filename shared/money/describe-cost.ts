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
