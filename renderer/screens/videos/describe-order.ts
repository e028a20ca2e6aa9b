import { NO_CHARGE } from '../../../shared/money/charge.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import type { ListedPrice } from '../../../shared/model-metadata/model-fields.ts';

type Request = VideoJob['request'];

/** The facts of an order that decide about its cost, as texts. `null`: it does not contain them. */
export interface OrderFacts {
  readonly model: string | null;
  readonly task: string | null;
  readonly seconds: string | null;
  readonly resolution: string | null;
  /** The additional fields as JSON; without those that replace a fact above. */
  readonly more: string | null;
}

/** Returns the facts of an order as it will be sent: additional fields replace the others, and `null` omits one. */
export function toOrderFacts({ more, ...fields }: Request): OrderFacts {
  const { model, task, seconds, resolution } = { ...fields, ...more };
  const others = Object.entries(more).filter(([name]) => !Object.hasOwn(fields, name));
  return {
    model: toText(model),
    task: toText(task),
    seconds: toText(seconds),
    resolution: toText(resolution),
    more: others.length === 0 ? null : JSON.stringify(Object.fromEntries(others)),
  };
}

function toText(value: Request['more'][string] | undefined): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

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
  if (isFree) return NO_CHARGE;
  if (estimate !== null) return `about ${estimate}`;
  const equal = earlier.find(({ request, cost }) => cost !== null && costsTheSame(request, order));
  if (equal !== undefined)
    return `${equal.cost} for the last one like this, as reported by the service`;
  if (prices.length === 0) return 'no price known';
  const list = prices.map(({ label, value }) => `${label} ${value}`).join(', ');
  return `${list}, as listed by the service in its own unit`;
}

function costsTheSame(request: Request, order: OrderFacts): boolean {
  return JSON.stringify(toOrderFacts(request)) === JSON.stringify(order);
}
