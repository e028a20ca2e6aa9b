import type { ExchangeRecord } from './exchange.ts';

/** A phase of an exchange. Times in milliseconds from its start. */
export interface Span {
  readonly kind: 'gatehouse' | 'held' | 'waiting' | 'answering';
  readonly from: number;
  readonly to: number;
}

type Timed = Pick<ExchangeRecord, 'attempts' | 'overheadMs' | 'firstByteMs' | 'durationMs'> & {
  /** The time for which a person let it wait before it was sent; absent where that is not known apart. */
  readonly heldMs?: number | undefined;
};

/**
 * Computes the phases of an exchange in order: in Gatehouse, held by a person, waiting for the first byte, answering. Waiting includes
 * the time in which the client sent its request, and the time for which a person let it wait where that is not known apart. Phases that were not reached are missing.
 */
export function toSpans(exchange: Timed): readonly Span[] {
  const { attempts, overheadMs, firstByteMs, durationMs, heldMs = 0 } = exchange;
  if (overheadMs === null || attempts === 0)
    return [{ kind: 'gatehouse', from: 0, to: durationMs }];
  const sent = Math.min(Math.max(0, overheadMs), durationMs);
  const asked = Math.min(sent + heldMs, durationMs);
  const first = Math.min(Math.max(asked, firstByteMs ?? durationMs), durationMs);
  const spans: Span[] = [{ kind: 'gatehouse', from: 0, to: sent }];
  if (heldMs > 0) spans.push({ kind: 'held', from: sent, to: asked });
  spans.push({ kind: 'waiting', from: asked, to: first });
  if (firstByteMs !== null) spans.push({ kind: 'answering', from: first, to: durationMs });
  return spans;
}
