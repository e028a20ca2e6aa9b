import type { Usage } from '../../shared/exchange/usage.ts';
import type { PriceBook } from '../prices/prices.ts';
import type { InFlightExchange } from './in-flight-exchange.ts';

/** Returns what an exchange would cost with this usage if it were answered, in millionths; 0 where there is no price. */
export function expectCost(
  { service, route, startedAt, modelSent, modelAsked, modelServed, video }: InFlightExchange,
  usage: Usage,
  prices: Pick<PriceBook, 'costOf'>,
): number {
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
  return cost?.amount ?? 0;
}
