import type { InFlightExchange } from '../in-flight-exchange.ts';

/** The headers that Gatehouse puts on every answer: which exchange it was, what was repaired, and how many seconds ago it came if not now. */
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
