import { NO_CHARGE, NOT_CHARGED } from '../../../shared/money/charge.ts';
import { type OrderFacts, toOrderFacts } from '../../../shared/video/order-facts.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import type { ListedPrice } from '../../../shared/model-metadata/model-fields.ts';

/** The task name for a video from an image (spec section 4.6). */
export const FROM_IMAGE = 'ref2va';

/** Names a task, and says what it does where that is known. */
export function describeTask(task: string | null): string | null {
  return task?.trim() === FROM_IMAGE ? `${task} (a video from an image)` : task;
}

interface KnownCosts {
  readonly isFree: boolean;
  /** The videos of this service that were made before, newest first. */
  readonly earlier: readonly Pick<VideoJob, 'request' | 'cost'>[];
  /** The prices that the service lists for the model. */
  readonly prices: readonly ListedPrice[];
  /** What it costs by the person's own prices; `null` when that is not known. */
  readonly estimate: string | null;
}

/**
 * Describes the cost of one order: by the person's own prices, or that of the latest equal one, or else the listed prices. No sum is
 * guessed.
 */
export function describeCost(
  order: OrderFacts,
  { isFree, earlier, prices, estimate }: KnownCosts,
): string {
  if (isFree) return describePlayCost(estimate);
  if (estimate !== null) return `about ${estimate}`;
  const equal = earlier.find(({ request, cost }) => cost !== null && costsTheSame(request, order));
  if (equal !== undefined)
    return `${equal.cost} for the last one like this, as reported by the service`;
  if (prices.length === 0) return 'no price known';
  const list = prices.map(({ label, value }) => `${label} ${value}`).join(', ');
  return `${list}, as listed by the service in its own unit`;
}

/** Describes what a video of the sandbox costs by the prices, which nobody pays; `null`: that is not known. */
function describePlayCost(estimate: string | null): string {
  return estimate === null ? NO_CHARGE : `${estimate} (${NOT_CHARGED})`;
}

function costsTheSame(request: VideoJob['request'], order: OrderFacts): boolean {
  return JSON.stringify(toOrderFacts(request)) === JSON.stringify(order);
}
