import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { HistoryFilter, Outcome } from '../../shared/history.ts';

/*
 * What a filter can ask for, as words of the search index. No word of a text begins with `_`, and whatever clients call themselves
 * is written in hexadecimal digits.
 */

/** The marks of an exchange. `named` gives the mark of a name, as {@link markOf} does. */
export function marksOf(exchange: ExchangeRecord, named: typeof markOf): string[] {
  const { clientName, route, status, streamed, repairs } = exchange;
  const model = exchange.modelSent ?? exchange.modelAsked;
  const flags = [
    flag('s', streamed),
    flag('p', repairs.length > 0),
    flag('k', clientName !== null),
  ];
  const marks = [named('r', route), ...flags];
  if (clientName !== null) marks.push(named('c', clientName));
  if (model !== null) marks.push(named('m', model));
  if (status !== null) marks.push(`_o${Math.floor(status / 100)}`);
  if (hasFailed(exchange)) marks.push('_of');
  return marks;
}

/** Which marks a filter asks for: any of each list. */
export function marksAsked(filter: HistoryFilter): string[][] {
  const { clients, models, routes, outcome, known, repaired, streamed } = filter;
  const asked = [
    (clients ?? []).map((name) => markOf('c', name)),
    (models ?? []).map((name) => markOf('m', name)),
    (routes ?? []).map((name) => markOf('r', name)),
    outcome === undefined ? [] : [outcomeMark(outcome)],
    known === undefined ? [] : [flag('k', known)],
    repaired === undefined ? [] : [flag('p', repaired)],
    streamed === undefined ? [] : [flag('s', streamed)],
  ];
  return asked.filter((marks) => marks.length > 0);
}

function hasFailed({ status, errorCode, endedBy }: ExchangeRecord): boolean {
  return errorCode !== null || status === null || status >= 400 || endedBy === 'client';
}

function outcomeMark(outcome: Outcome): string {
  return outcome === 'failed' ? '_of' : `_o${outcome.charAt(0)}`;
}

function flag(kind: 's' | 'p' | 'k', holds: boolean): string {
  return `_${kind}${holds ? 1 : 0}`;
}

/** The mark of a client, a model or a route. */
export function markOf(kind: 'c' | 'm' | 'r', value: string): string {
  return `_${kind}${Buffer.from(value).toString('hex')}`;
}
