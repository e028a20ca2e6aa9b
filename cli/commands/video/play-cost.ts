import { NO_CHARGE, NOT_CHARGED } from '../../../shared/money/charge.ts';
import { estimateVideo } from '../../../shared/money/estimate-video.ts';
import { formatMoney } from '../../../shared/money/format-money.ts';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import { toOrderFacts } from '../../../shared/video/order-facts.ts';
import type { VideoJob } from '../../../shared/video/video.ts';
import type { CommandRepositories } from '../../with-repositories.ts';

/** Describes what videos of the sandbox cost by the prices, which nobody pays: `$0.20 (sandbox, not charged)`. */
export function describePlayCost(
  { prices, settings, host }: CommandRepositories,
  request: VideoJob['request'],
  count = 1,
): string {
  const order = toOrderFacts(request);
  const price = order.model === null ? null : prices.find(SANDBOX_ID, order.model, host.now());
  const amount = price === null ? null : estimateVideo(price, order);
  if (amount === null) return NO_CHARGE;
  return `${formatMoney(amount * count, settings.current().currency)} (${NOT_CHARGED})`;
}
