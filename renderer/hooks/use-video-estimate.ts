import { skipToken, useQuery } from '@tanstack/react-query';
import { toOrderFacts } from '../../shared/video/order-facts.ts';
import type { VideoJob } from '../../shared/video/video.ts';
import { isFree } from '../../shared/money/charge.ts';
import { formatMoney } from '../../shared/money/format-money.ts';
import { estimateVideo } from '../../shared/money/estimate-video.ts';
import { useCalls } from '../api/client.ts';
import { useCurrency } from './use-currency.ts';

/** What decides the cost of a video, as texts. */
interface VideoOrder {
  readonly model: string | null;
  readonly seconds: string | null;
  readonly resolution: string | null;
}

/** The longest id that has a price. */
const MAX_ID = 256;

/**
 * Returns what an order costs by the person's own prices, or by the play prices of the sandbox, such as `$0.20`; `null` when that is not
 * known. `at`: the service in use, or the sandbox; `null` asks nothing.
 */
export function useVideoEstimate(
  order: VideoOrder,
  at: 'service' | 'sandbox' | null,
): string | null {
  const { model } = order;
  const currency = useCurrency();
  const isAsked = at !== null && model !== null && model !== '' && model.length <= MAX_ID;
  const { data, isPlaceholderData } = useQuery(
    useCalls().prices.find.queryOptions({
      input: isAsked ? { model, sandbox: at === 'sandbox' } : skipToken,
    }),
  );
  if (!isAsked || data == null || isPlaceholderData) return null;
  const amount = estimateVideo(data, order);
  return amount === null ? null : formatMoney(amount, currency);
}

/** Returns what a video of the sandbox costs by its prices; `null` at a service, and when that is not known. */
export function usePlayCost({ request, service }: Pick<VideoJob, 'request' | 'service'>) {
  return useVideoEstimate(toOrderFacts(request), isFree(service.id) ? 'sandbox' : null);
}
