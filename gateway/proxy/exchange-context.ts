import type { Reservation } from '../lib/memory-budget.ts';
import type { ClientRequest } from './inbound/client-request.ts';
import type { InFlightExchange } from './in-flight-exchange.ts';
import type { ProxyContext } from './context.ts';

/** What every step of one exchange works with. */
export interface ExchangeContext {
  readonly call: ClientRequest;
  readonly proxy: ProxyContext;
  readonly inFlight: InFlightExchange;
  /** Counts what is held of it in memory. */
  readonly memory: Reservation;
}
