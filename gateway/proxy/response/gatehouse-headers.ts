import type { InFlightExchange } from '../in-flight-exchange.ts';

/** Returns the headers of every response: the id of the exchange, its repairs, and the age in seconds of a stored response. */
export function gatehouseHeaders({ id, repairs, replayedMs }: InFlightExchange): string[] {
  const headers = ['x-gatehouse-exchange', id];
  if (repairs.length > 0) {
    headers.push('x-gatehouse-repairs', repairs.map(({ code }) => code).join(', '));
  }
  if (replayedMs !== null) {
    headers.push('x-gatehouse-replayed', String(Math.floor(replayedMs / 1000)));
  }
  return headers;
}
