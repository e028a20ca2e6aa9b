import { isFree, NO_CHARGE } from '../money/charge.ts';
import { describeCost } from '../money/describe-cost.ts';
import { formatMoney } from '../money/format-money.ts';
import type { VideoJob } from './video.ts';

type ChargedJob = Pick<VideoJob, 'charged' | 'cost' | 'computedCost' | 'service'>;

/** The longest cost of a service that is shown beside the state of a charge. */
const MAX_COST = 60;

const LABELS = {
  no: 'not charged',
  maybe: 'may have been charged',
  yes: 'charged',
} as const satisfies Record<VideoJob['charged'], string>;

/** Describes whether a video was charged, as far as known, and the amount: that of the service, or else by the person's own prices. */
export function describeCharge(
  { charged, cost, computedCost, service }: ChargedJob,
  currency: string,
): string {
  if (isFree(service.id)) {
    const isPriced = charged === 'yes' && computedCost?.amount != null;
    return (
      (isPriced ? describeCost(computedCost, { currency, service: service.id }) : null) ?? NO_CHARGE
    );
  }
  if (charged === 'no') return LABELS.no;
  if (cost !== null) return `${LABELS[charged]}: ${shorten(cost)}`;
  const computed = describeComputed(computedCost, currency);
  return computed === null ? LABELS[charged] : `${LABELS[charged]}: ${computed}`;
}

function describeComputed(cost: VideoJob['computedCost'], currency: string): string | null {
  if (cost === null) return null;
  if (cost.source === 'unpriced') return 'no price known';
  return cost.amount === null
    ? 'cost unknown, because its length is not known'
    : `${formatMoney(cost.amount, currency)} by your prices`;
}

/** Returns whether a charged video has no amount because its model has no price. */
export function isUnpriced({ charged, cost, computedCost, service }: ChargedJob): boolean {
  return (
    charged !== 'no' && cost === null && computedCost?.source === 'unpriced' && !isFree(service.id)
  );
}

/** The text of a service cannot look like a line of ours. */
function shorten(text: string): string {
  const letters = Array.from(text.replaceAll(/\s+/gu, ' ').trim());
  return letters.length <= MAX_COST
    ? letters.join('')
    : `${letters.slice(0, MAX_COST - 1).join('')}…`;
}
