import type { Price } from './price.ts';

/** The members of an order that decide what it costs, as texts. */
interface VideoOrder {
  readonly seconds: string | null;
  readonly resolution: string | null;
}

/** A day. */
const MAX_SECONDS = 86_400;

/** Returns what an order of a video costs by a price, in millionths of the currency; `null` when its length or its price is not known. */
export function estimateVideo(
  { prices }: Pick<Price, 'prices'>,
  { seconds, resolution }: VideoOrder,
): number | null {
  const length = seconds === null || seconds.trim() === '' ? Number.NaN : Number(seconds);
  const { videoSecond, request } = prices;
  const second =
    (Object.hasOwn(videoSecond, resolution ?? '') ? videoSecond[resolution ?? ''] : null) ??
    videoSecond['*'];
  if (Object.keys(videoSecond).length === 0) return request;
  if (!(length > 0 && length <= MAX_SECONDS)) return null;
  if (second === undefined) return request;
  return Math.round(length * second) + (request ?? 0);
}
