import type { ExchangeId, ExchangeRecord } from '../../shared/exchange.ts';
import type {
  Attention,
  ExchangeDetail,
  HistoryFilter,
  HistoryPage,
  UsageDay,
} from '../../shared/history.ts';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';
import { type HistoryClock, startMaintenance } from './maintenance.ts';
import { findAttention } from './attention.ts';
import { type ExportOptions, exportExchanges, type ExportChunk } from './export.ts';
import { type ListFilter, listExchanges } from './list.ts';
import { countExchanges, type PageQuery, readPage } from './page.ts';
import { type RawHeaderSnapshots, readHeaders } from './header-snapshots.ts';
import { fromRow } from './row.ts';
import { erase } from './erase.ts';
import type { RetentionPolicy } from './prune.ts';
import { SearchIndex } from './search-index.ts';
import {
  listNames,
  type ModelUsage,
  sumDays,
  sumModels,
  sumUsage,
  type UsageKey,
  type UsageRow,
} from './usage-totals.ts';
import { HistoryWriter } from './writer.ts';

export type { RawHeaderSnapshots } from './header-snapshots.ts';
export type { ListFilter, StatusClass, StatusFilter } from './list.ts';
export type { RetentionPolicy } from './prune.ts';
export { findIndexDamage } from './search-index-tables.ts';
export { readDatabaseSize } from './prune-to-size.ts';
export type { ModelUsage, UsageKey, UsageRow } from './usage-totals.ts';

export interface HistoryOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  readonly now: () => number;
  /** Removes secrets from a text. Applied to every external text before it is stored. */
  readonly redact: (text: string) => string;
  readonly log: Log;
  /** Called each time something is to be deleted. `null`: the history is read-only, and nothing is deleted. */
  readonly getRetention: (() => RetentionPolicy) | null;
  /** Clock for deletion by age; `now` by default. */
  readonly clock?: HistoryClock;
}

/** Stores finished exchanges. Recording never fails and never waits; rows are written in batches. */
export interface History {
  /** Records a finished exchange with its headers. A full buffer drops it and counts it in `dropped`. */
  record(exchange: ExchangeRecord, heads?: RawHeaderSnapshots): void;
  /** Resolves when everything recorded so far is written, or counted as dropped. */
  flush(): Promise<void>;
  /** Returns a recorded exchange, also when it is not written yet; `null` when there is no such exchange, or it was deleted. */
  get(id: ExchangeId): Promise<ExchangeDetail | null>;
  /**
   * Returns a page of summaries, newest first. Exchanges that are not written yet are missing here and in the methods below:
   * call `flush` first when that matters.
   */
  page(query: PageQuery): Promise<HistoryPage>;
  /** Counts the exchanges that match the filter, up to `upTo`. */
  count(filter: HistoryFilter, upTo: number): Promise<number>;
  /** Returns the names of clients and models that occur, most used first, at most 200 each. */
  names(): Promise<{ clients: string[]; models: string[] }>;
  /** Returns the last 30 local days, oldest first, including days without exchanges. */
  days(): Promise<UsageDay[]>;
  /** Returns problems that a person may want to act on, most urgent first: kinds `unreachable`, `client`, `repair`. */
  attention(): Promise<Attention[]>;
  /** Returns the usage of every model. */
  perModel(): Promise<Map<string, ModelUsage>>;
  /** Yields the text of a file in chunks. Ends early when its signal is aborted. */
  export(query: ExportOptions): AsyncGenerator<ExportChunk>;
  /** Lists complete exchanges, newest first. */
  list(filter: ListFilter): Promise<ExchangeRecord[]>;
  /** Returns usage per key: days newest first, models and clients by tokens. */
  usage(by: UsageKey): Promise<UsageRow[]>;
  /** Deletes what exceeds the retention policy, in small batches. Resolves with the number of exchanges. */
  prune(): Promise<number>;
  /** Deletes every exchange, in small batches. Resolves with their number. */
  erase(): Promise<number>;
  /**
   * Calls the listener with the number of rows after each batch was written, and with 0 after rows were deleted. Returns a
   * function that removes the listener.
   */
  on(listener: (written: number) => void): () => void;
  /** Number of exchanges that could not be stored since the start. */
  readonly dropped: number;
  /** Writes pending exchanges and stops. The store stays open. */
  close(): Promise<void>;
}

/** Opens the history of a store. Deletes expired exchanges now and then every hour. */
export function openHistory(options: HistoryOptions): History {
  const { store, now, log, getRetention, clock = plain(now) } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const index = new SearchIndex({ store, log, readOnly: getRetention === null });
  const source = { store, index };
  const recordsHeaders = () => getRetention !== null && getRetention().headersDays > 0;
  const writer = new HistoryWriter({ ...options, clock, index, keepsHeads: recordsHeaders });
  const maintenance =
    getRetention === null
      ? null
      : startMaintenance({
          store,
          index,
          clock,
          log,
          getRetention,
          signal,
          onDeleted: () => writer.notifyWritten(0),
        });
  const stopWatching = writer.on((written) => maintenance?.onWritten(written));

  return {
    record: (exchange, heads) => writer.record(exchange, heads ?? null),
    flush: () => writer.flush(),
    page: (query) => readPage(source, query),
    get: async (id) => {
      const known = await getExchange(store, id);
      if (known !== null) return known;
      await writer.flush();
      return await getExchange(store, id);
    },
    count: (filter, upTo) => countExchanges(source, filter, upTo),
    names: () => listNames(store),
    days: () => sumDays(store, now()),
    attention: () => findAttention(store, now()),
    perModel: () => sumModels(store),
    export: (query) => exportExchanges(source, query),
    list: (filter) => listExchanges(source, filter),
    usage: (by) => sumUsage(store, by),
    prune: async () => (await maintenance?.prune()) ?? 0,
    erase: async () => {
      await writer.flush();
      const deleted = await index.rebuildOnDamage(() => erase(store, { index, signal }));
      writer.notifyWritten(0);
      return deleted;
    },
    on: (listener) => writer.on(listener),
    get dropped() {
      return writer.dropped;
    },
    close: async () => {
      closing.abort();
      stopWatching();
      await writer.close();
      await maintenance?.whenEnded();
    },
  };
}

/** Returns a clock for callers that open the history briefly and have no trusted clock. */
function plain(now: () => number): HistoryClock {
  return { now, behind: () => 0, save: () => Promise.resolve() };
}

async function getExchange(store: Store, id: ExchangeId): Promise<ExchangeDetail | null> {
  const row = await store.db
    .selectFrom('exchange')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined
    ? null
    : { exchange: fromRow(row), headers: await readHeaders(store, id) };
}
