import { skipToken, useQuery } from '@tanstack/react-query';
import { formatMoney } from '../../shared/money/format-money.ts';
import { estimateVideo } from '../../shared/money/estimate-video.ts';
import { SANDBOX_ID } from '../../shared/sandbox-id.ts';
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
      input: isAsked ? { model, ...(at === 'sandbox' && { service: SANDBOX_ID }) } : skipToken,
    }),
  );
  if (!isAsked || data == null || isPlaceholderData) return null;
  const amount = estimateVideo(data, order);
  return amount === null ? null : formatMoney(amount, currency);
}
