import { skipToken, useQuery } from '@tanstack/react-query';
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
 * Returns what an order at the service in use costs by the person's own prices, such as `$0.20`; `null` when that is not known, or
 * when it is not `enabled`.
 */
export function useVideoEstimate(order: VideoOrder, enabled: boolean): string | null {
  const { model } = order;
  const currency = useCurrency();
  const isAsked = enabled && model !== null && model !== '' && model.length <= MAX_ID;
  const { data, isPlaceholderData } = useQuery(
    useCalls().prices.find.queryOptions({ input: isAsked ? { model } : skipToken }),
  );
  if (!isAsked || data == null || isPlaceholderData) return null;
  const amount = estimateVideo(data, order);
  return amount === null ? null : formatMoney(amount, currency);
}
