import type { Usage } from '../../shared/exchange/usage.ts';
import type { PriceBook } from '../prices/prices.ts';
import type { InFlightExchange } from './in-flight-exchange.ts';

/** Returns what an exchange would cost with this usage if it were answered, in millionths; `null` where that is not known. */
export function expectCost(
  { service, route, startedAt, modelSent, modelAsked, modelServed, video }: InFlightExchange,
  usage: Usage,
  prices: Pick<PriceBook, 'costOf'>,
): number | null {
  const cost = prices.costOf({
    service,
    route,
    startedAt,
    modelSent,
    modelAsked,
    modelServed,
    video,
    status: 200,
    errorCode: null,
    attempts: 1,
    usage,
  });
  return cost === null ? 0 : cost.amount;
}
