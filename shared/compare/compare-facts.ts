import type { ExchangeRecord } from '../exchange/exchange.ts';
import { formatBytes, formatCount, formatDuration } from '../format.ts';
import { routeLabel } from '../exchange/route-label.ts';

/** A fact of two exchanges, as it is shown. */
export interface ComparedFact {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

const NOTHING = '–';

const FACTS: readonly (readonly [name: string, format: (exchange: ExchangeRecord) => string])[] = [
  ['Route', ({ route }) => routeLabel(route)],
  ['Client', ({ clientName }) => clientName ?? 'unknown'],
  ['Model', ({ modelSent, modelAsked }) => modelSent ?? modelAsked ?? NOTHING],
  ['Answered by', ({ modelServed }) => modelServed ?? NOTHING],
  ['Status', ({ status, errorCode }) => [status ?? NOTHING, errorCode ?? ''].join(' ').trim()],
  ['Tokens in', ({ usage }) => formatCount(usage.input)],
  ['From the cache', ({ usage }) => formatCount(usage.cacheRead)],
  ['Tokens out', ({ usage }) => formatCount(usage.output)],
  ['Reasoning', ({ usage }) => formatCount(usage.reasoning)],
  ['First byte', ({ firstByteMs }) => formatDuration(firstByteMs)],
  ['Time', ({ durationMs }) => formatDuration(durationMs)],
  ['Attempts', ({ attempts }) => formatCount(attempts)],
  ['Size in', ({ bytesIn }) => formatBytes(bytesIn)],
  ['Size out', ({ bytesOut }) => formatBytes(bytesOut)],
];

/** Compares the facts of two exchanges; those that neither has are left out. */
export function compareFacts(
  before: ExchangeRecord,
  after: ExchangeRecord,
): readonly ComparedFact[] {
  return FACTS.map(([name, format]) => ({
    name,
    before: format(before),
    after: format(after),
  })).filter((fact) => fact.before !== NOTHING || fact.after !== NOTHING);
}
