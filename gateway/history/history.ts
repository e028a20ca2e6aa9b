import type { ExchangeRecord } from '../../shared/exchange.ts';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';
import { type HistoryFilter, listExchanges } from './list.ts';
import { pruneExchanges } from './prune.ts';
import { sumUsage, type UsageKey, type UsageRow } from './sums.ts';
import { Writer } from './writer.ts';

export type { HistoryFilter, StatusClass, StatusFilter } from './list.ts';
export type { UsageKey, UsageRow } from './sums.ts';

export interface HistoryOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  now(): number;
  /** Takes secrets out of a text. Applied to every text from outside before it leaves this room. */
  redact(text: string): string;
  readonly log: Log;
}

/** What passed through. Recording never fails and never waits; rows are written in batches. */
export interface History {
  /** Takes a finished exchange. A full buffer drops it and counts it in `dropped`. */
  record(exchange: ExchangeRecord): void;
  /** Resolves when everything recorded so far is written, or was counted as dropped. */
  flush(): Promise<void>;
  /** Newest first. Rows not yet written are missing: `flush` first when that matters. */
  list(filter: HistoryFilter): Promise<ExchangeRecord[]>;
  /** Days newest first, models and clients by tokens. `since` in Unix milliseconds, inclusive. */
  usage(by: UsageKey, since?: number): Promise<UsageRow[]>;
  /** Deletes exchanges that started before this Unix time (milliseconds), in small batches. Resolves with how many. */
  prune(olderThan: number): Promise<number>;
  /** Called with the number of rows after each batch was written. Returns what stops it. */
  on(listener: (written: number) => void): () => void;
  /** Exchanges that could not be kept since the start. */
  readonly dropped: number;
  /** Writes what is left and stops. The store stays open. */
  close(): Promise<void>;
}

const KEEP_MS = 90 * 24 * 3_600_000;
const PRUNE_EVERY_MS = 3_600_000;

/** Opens the history of a store. Exchanges older than 90 days are deleted now and then every hour. */
export function openHistory(options: HistoryOptions): History {
  const { store, log } = options;
  const writer = new Writer(options);
  const closing = new AbortController();

  const prune = (olderThan: number) => pruneExchanges(store, olderThan, closing.signal);
  const pruneOld = async () => {
    try {
      await prune(options.now() - KEEP_MS);
    } catch (error) {
      log('warn', 'Old exchanges could not be deleted.', { reason: String(error) });
    }
  };
  let pruning = pruneOld();
  const timer = setInterval(() => {
    pruning = pruneOld();
  }, PRUNE_EVERY_MS).unref();

  return {
    record: (exchange) => writer.record(exchange),
    flush: () => writer.flush(),
    list: (filter) => listExchanges(store, filter),
    usage: (by, since) => sumUsage(store, by, since),
    prune,
    on: (listener) => writer.on(listener),
    get dropped() {
      return writer.dropped;
    },
    close: async () => {
      clearInterval(timer);
      closing.abort();
      await writer.close();
      await pruning;
    },
  };
}
