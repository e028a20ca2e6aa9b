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
  /** Takes secrets out of a text. Applied to every text from outside before it leaves this room. */
  readonly redact: (text: string) => string;
  readonly log: Log;
  /** Asked each time something is to be deleted. `null`: only to look; nothing is deleted. */
  readonly getRetention: (() => RetentionPolicy) | null;
  /** By which exchanges are deleted for their age; `now` unless given. */
  readonly clock?: HistoryClock;
}

/** What passed through. Recording never fails and never waits; rows are written in batches. */
export interface History {
  /** Takes a finished exchange, with its headers as they were. A full buffer drops it and counts it in `dropped`. */
  record(exchange: ExchangeRecord, heads?: RawHeaderSnapshots): void;
  /** Resolves when everything recorded so far is written, or was counted as dropped. */
  flush(): Promise<void>;
  /** What was recorded is found, also when it is not written yet. `null` when there is no such exchange, or not any more. */
  get(id: ExchangeId): Promise<ExchangeDetail | null>;
  /** A page of lines, newest first. What is not yet written is missing from this and all below: `flush` first when that matters. */
  page(query: PageQuery): Promise<HistoryPage>;
  /** How many exchanges the filter lets through, counted up to `upTo`. */
  count(filter: HistoryFilter, upTo: number): Promise<number>;
  /** Names of clients and models that occur, most used first, at most 200 each. */
  names(): Promise<{ clients: string[]; models: string[] }>;
  /** The last 30 local days, oldest first, days without exchanges included. */
  days(): Promise<UsageDay[]>;
  /** What a person may want to do something about, most urgent first: kinds `unreachable`, `client`, `repair`. */
  attention(): Promise<Attention[]>;
  /** The use of every model. */
  perModel(): Promise<Map<string, ModelUsage>>;
  /** The text of a file, piece by piece. Ends early when its signal is aborted. */
  export(query: ExportOptions): AsyncGenerator<ExportChunk>;
  /** Newest first, whole. */
  list(filter: ListFilter): Promise<ExchangeRecord[]>;
  /** Days newest first, models and clients by tokens. */
  usage(by: UsageKey): Promise<UsageRow[]>;
  /** Deletes what is older, or more, than is to be kept, in small batches. Resolves with the number of exchanges. */
  prune(): Promise<number>;
  /** Deletes every exchange, in small batches. Resolves with how many. */
  erase(): Promise<number>;
  /** Called with the number of rows after each batch was written, with 0 after some were deleted. Returns what stops it. */
  on(listener: (written: number) => void): () => void;
  /** Exchanges that could not be kept since the start. */
  readonly dropped: number;
  /** Writes what is left and stops. The store stays open. */
  close(): Promise<void>;
}

/** Opens the history of a store. What is too old is deleted now and then every hour. */
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
          onDeleted: () => writer.tell(0),
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
      writer.tell(0);
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

/** The clock of who opens a history for a moment and knows no better. */
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
