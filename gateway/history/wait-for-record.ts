import type { ExchangeId, ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type { ExchangeDetail } from '../../shared/history/history.ts';

/** The part of a history that tells when an exchange is in it. */
interface WrittenExchanges {
  get(id: ExchangeId): Promise<ExchangeDetail | null>;
  on(listener: () => void): () => void;
}

/** A full history drops records. */
const MAX_WAIT_MS = 2000;

/**
 * Waits for the record of an exchange that has just ended, which is written a moment later. Resolves with `null` when it does
 * not come.
 */
export async function waitForRecord(
  id: ExchangeId,
  history: WrittenExchanges,
): Promise<ExchangeRecord | null> {
  const { promise: late, resolve: giveUp } = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => giveUp('late'), MAX_WAIT_MS).unref();
  try {
    for (;;) {
      const { promise: written, resolve } = Promise.withResolvers<'written'>();
      const stop = history.on(() => resolve('written'));
      try {
        const found = await history.get(id);
        if (found !== null) return found.exchange;
        if ((await Promise.race([written, late])) === 'late') return null;
      } finally {
        stop();
      }
    }
  } finally {
    clearTimeout(timer);
  }
}
