import type { ExchangeRecord } from '../../../../shared/exchange.ts';

/** A stretch of an exchange. Times in milliseconds from its beginning. */
export interface Span {
  readonly kind: 'gatehouse' | 'waiting' | 'answering';
  readonly from: number;
  readonly to: number;
}

type Timed = Pick<ExchangeRecord, 'overheadMs' | 'firstByteMs' | 'durationMs'>;

/**
 * The stretches of an exchange in their order: in Gatehouse, waiting for the first byte, answering. Waiting includes the time that the
 * client took to send its request. What was not reached is missing.
 */
export function toSpans({ overheadMs, firstByteMs, durationMs }: Timed): readonly Span[] {
  if (overheadMs === null) return [{ kind: 'gatehouse', from: 0, to: durationMs }];
  const sent = Math.min(Math.max(0, overheadMs), durationMs);
  const first = Math.min(Math.max(sent, firstByteMs ?? durationMs), durationMs);
  const spans: Span[] = [
    { kind: 'gatehouse', from: 0, to: sent },
    { kind: 'waiting', from: sent, to: first },
  ];
  if (firstByteMs !== null) spans.push({ kind: 'answering', from: first, to: durationMs });
  return spans;
}
