import type { ExchangeRecord } from './exchange.ts';

/** A phase of an exchange. Times in milliseconds from its start. */
export interface Span {
  readonly kind: 'gatehouse' | 'waiting' | 'answering';
  readonly from: number;
  readonly to: number;
}

type Timed = Pick<ExchangeRecord, 'attempts' | 'overheadMs' | 'firstByteMs' | 'durationMs'>;

/**
 * Computes the phases of an exchange in order: in Gatehouse, waiting for the first byte, answering. Waiting includes the
 * time in which the client sent its request. Phases that were not reached are missing.
 */
export function toSpans({ attempts, overheadMs, firstByteMs, durationMs }: Timed): readonly Span[] {
  if (overheadMs === null || attempts === 0)
    return [{ kind: 'gatehouse', from: 0, to: durationMs }];
  const sent = Math.min(Math.max(0, overheadMs), durationMs);
  const first = Math.min(Math.max(sent, firstByteMs ?? durationMs), durationMs);
  const spans: Span[] = [
    { kind: 'gatehouse', from: 0, to: sent },
    { kind: 'waiting', from: sent, to: first },
  ];
  if (firstByteMs !== null) spans.push({ kind: 'answering', from: first, to: durationMs });
  return spans;
}
