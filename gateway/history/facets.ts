import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { HistoryFilter, Outcome } from '../../shared/history.ts';

/*
 * What a filter can ask for, as words of the search index. No word of a text begins with `_`, and whatever clients call themselves
 * is written in hexadecimal digits.
 */

/** Returns the index tokens of an exchange. `toToken` makes the token of a name, as {@link facetToken} does. */
export function exchangeFacets(exchange: ExchangeRecord, toToken: typeof facetToken): string[] {
  const { clientName, route, status, streamed, repairs } = exchange;
  const model = exchange.modelSent ?? exchange.modelAsked;
  const flags = [
    flagToken('s', streamed),
    flagToken('p', repairs.length > 0),
    flagToken('k', clientName !== null),
  ];
  const tokens = [toToken('r', route), ...flags];
  if (clientName !== null) tokens.push(toToken('c', clientName));
  if (model !== null) tokens.push(toToken('m', model));
  if (status !== null) tokens.push(`_o${Math.floor(status / 100)}`);
  if (hasFailed(exchange)) tokens.push('_of');
  return tokens;
}

/** Returns the index tokens that a filter requires: one of each list. */
export function filterFacets(filter: HistoryFilter): string[][] {
  const { clients, models, routes, outcome, known, repaired, streamed } = filter;
  const facets = [
    (clients ?? []).map((name) => facetToken('c', name)),
    (models ?? []).map((name) => facetToken('m', name)),
    (routes ?? []).map((name) => facetToken('r', name)),
    outcome === undefined ? [] : [outcomeToken(outcome)],
    known === undefined ? [] : [flagToken('k', known)],
    repaired === undefined ? [] : [flagToken('p', repaired)],
    streamed === undefined ? [] : [flagToken('s', streamed)],
  ];
  return facets.filter((tokens) => tokens.length > 0);
}

function hasFailed({ status, errorCode, endedBy }: ExchangeRecord): boolean {
  return errorCode !== null || status === null || status >= 400 || endedBy === 'client';
}

function outcomeToken(outcome: Outcome): string {
  return outcome === 'failed' ? '_of' : `_o${outcome.charAt(0)}`;
}

function flagToken(kind: 's' | 'p' | 'k', isSet: boolean): string {
  return `_${kind}${isSet ? 1 : 0}`;
}

/** Returns the index token of a client, a model or a route. */
export function facetToken(kind: 'c' | 'm' | 'r', value: string): string {
  return `_${kind}${Buffer.from(value).toString('hex')}`;
}
