import { isFree, NO_CHARGE, NOT_CHARGED } from '../../../shared/money/charge.ts';
import { estimateVideo } from '../../../shared/money/estimate-video.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { toOrderFacts } from '../../../shared/video/order-facts.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import { formatPriceCommand, secondsOf } from '../../output/format-price.ts';
import type { CommandRepositories } from '../../with-repositories.ts';

interface Order {
  /** A base address, or `sandbox`. */
  readonly service: string;
  readonly request: VideoJob['request'];
  /** Number of equal videos. */
  readonly count: number;
}

/**
 * Describes what an order costs by the person's own prices: `By your prices it costs $0.20.`, or how to set one. Of the sandbox, the
 * words without a sentence: `$0.20 (sandbox, not charged)`.
 */
export function describeOrderCost(
  { prices, settings, host }: CommandRepositories,
  { service, request, count }: Order,
  command: string,
): string {
  const order = toOrderFacts(request);
  const price = order.model === null ? null : prices.find(service, order.model, host.now());
  const amount = price === null ? null : estimateVideo(price, order);
  const format = (micros: number) => formatMoney(micros, settings.current().currency);
  if (isFree(service)) {
    return amount === null ? NO_CHARGE : `${format(amount * count)} (${NOT_CHARGED})`;
  }
  if (amount !== null) {
    return count === 1
      ? `By your prices it costs ${format(amount)}.`
      : `By your prices they cost ${format(amount * count)}, each ${format(amount)}.`;
  }
  const isPriced = price !== null && estimateVideo(price, { ...order, seconds: '1' }) !== null;
  if (isPriced) return 'What it costs is not known, because its length is not.';
  const { model, resolution } = order;
  if (model === null) return 'No price is known, so what it costs is not.';
  const set = formatPriceCommand({ model, price, amounts: secondsOf(resolution) }, command);
  return `No price is known, so what it costs is not. To set one:\n  ${set}`;
}
