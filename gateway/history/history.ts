import type { ExchangeId, ExchangeRecord } from '../../shared/exchange/exchange.ts';
import type {
  Attention,
  ExchangeDetail,
  HistoryFilter,
  HistoryPage,
  UsageDay,
  UsageScope,
} from '../../shared/history/history.ts';
import type { RecostProgress } from '../../shared/money/recost.ts';
import type {
  CostedPlace,
  CostedRun,
  ListedRunPage,
  RecognisedStep,
  RunDetail,
  RunPage,
  StepPlace,
} from '../../shared/run/run.ts';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';
import { type HistoryClock, startMaintenance } from './deletion/maintenance.ts';
import { findAttention } from './attention/attention.ts';
import type { AttentionContext } from './attention/attention-rules.ts';
import { type BatchQuery, readBatches } from './batches.ts';
import { dismiss, withoutDismissed } from './attention/dismissals.ts';
import { followExchanges, type FollowOptions } from './follow.ts';
import { type ListFilter, listExchanges } from './list-records.ts';
import { countExchanges, type PageQuery, readPage } from './page.ts';
import { type RawHeaderSnapshots, readHeaders } from './header-snapshots.ts';
import { fromRow } from './row.ts';
import { deleteById } from './deletion/delete-exchanges.ts';
import { erase } from './deletion/erase.ts';
import { listLatestTools } from './exchange-tools.ts';
import { type Marks, openMarks } from './marks/marks.ts';
import { listMarks, listTags } from './marks/read-marks.ts';
import type { RetentionPolicy } from './deletion/prune.ts';
import { SearchIndex } from './search/search-index.ts';
import {
  listNames,
  type ModelUsage,
  sumDays,
  sumModels,
  type UsedNames,
} from './usage/usage-totals.ts';
import { openUsageReports, type UsageReports } from './usage/usage-reports.ts';
import { recost, type RecostQuery } from './costs/recost.ts';
import { costPlace, costRun, costRuns } from './costs/cost-run.ts';
import type { PriceableUse } from '../../shared/history/usage.ts';
import type { UsageQuery } from './usage/usage-report.ts';
import {
  countPriceable,
  type KnownPrices,
  listUnpriced,
  listUnpricedVideos,
  type UnpricedUse,
} from './costs/unpriced.ts';
import { HistoryWriter } from './writer.ts';

export type { RawHeaderSnapshots } from './header-snapshots.ts';
export type { ListFilter } from './list-records.ts';
export type { RetentionPolicy } from './deletion/prune.ts';
export { type OpenExchanges, openOpenExchanges } from './open-exchanges/open-exchanges.ts';
export { type OpenExchange, readInterrupted } from './open-exchanges/read-interrupted.ts';
export { findIndexDamage } from './search/search-index-tables.ts';
export { readDatabaseSize } from './deletion/prune-to-size.ts';
export { waitForRecord } from './wait-for-record.ts';
export type { ModelUsage } from './usage/usage-totals.ts';
export type { UsageOfExchange } from './usage/usage-rows.ts';

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

/** Ids in one query. */
const MAX_IDS = 500;

interface AllNames extends UsedNames {
  readonly tools: string[];
  readonly tags: string[];
}

/** Stores finished exchanges. Recording never fails and never waits; rows are written in batches. */
export interface History extends Marks, UsageReports {
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
  /** Returns which of these ids the history has, including those that are not written yet. */
  findExisting(ids: readonly string[]): Promise<string[]>;
  /** Records the runs and the tools of exchanges that were recognised later. Never rejects: what cannot be written is logged. */
  setSteps(steps: readonly RecognisedStep[]): Promise<void>;
  /** Counts the exchanges that match the filter, up to `upTo`. */
  count(filter: HistoryFilter, upTo: number): Promise<number>;
  /**
   * Returns the names of clients, models, tools and tags and the ids of services that occur, at most 200 each: most used first, tools by
   * their latest use.
   */
  names(): Promise<AllNames>;
  /** Returns the last 30 local days, oldest first, including days without exchanges. */
  days(scope: UsageScope): Promise<UsageDay[]>;
  /** Returns problems that a person may want to act on, most urgent first: kinds `unreachable`, `unknown`, `client`, `repair`. */
  attention(context: AttentionContext): Promise<Attention[]>;
  /** Leaves out problems that were dismissed and have not occurred again since. */
  withoutDismissed(found: readonly Attention[]): Promise<Attention[]>;
  /** Hides a problem until it occurs after `at`, in Unix milliseconds. */
  dismiss(id: string, at: number): Promise<void>;
  /** Returns the usage of every model. */
  perModel(scope: UsageScope): Promise<Map<string, ModelUsage>>;
  /** Yields exchanges in batches, one after the other. Ends early when its signal is aborted. */
  batches(query: BatchQuery): AsyncGenerator<readonly ExchangeDetail[], void, void>;
  /** Lists complete exchanges, newest first. */
  list(filter: ListFilter): Promise<ExchangeRecord[]>;
  /** Yields the newest exchanges that match, oldest first, and then each one that another process writes. Ends with its signal. */
  follow(options: FollowOptions): AsyncGenerator<ExchangeRecord, void, void>;
  /** Returns the models of services with exchanges that had no price when they ended, those with the most first, at most 200. */
  unpriced(): Promise<UnpricedUse[]>;
  /** Returns those with videos that have a price by now, but none for these videos. `now`: Unix time in milliseconds. */
  unpricedVideos(prices: KnownPrices, now: number): Promise<UnpricedUse[]>;
  /** Counts those of a period that have a price by now, so that their costs can be computed with `recost`. */
  priceable(query: UsageQuery, prices: KnownPrices): Promise<PriceableUse>;
  /** Adds what the steps of a run cost; those with nothing to pay, and those that are not here, are left out. */
  costRun(run: RunDetail): Promise<CostedRun>;
  /** Adds whether the cache missed at a step of a run, and what that cost. */
  costPlace(place: StepPlace): Promise<CostedPlace>;
  /** Adds what the runs of a page cost. */
  costRuns(page: RunPage): Promise<ListedRunPage>;
  /** Computes the costs of exchanges again, as {@link recost} says. Yields its progress. */
  recost(query: RecostQuery): AsyncGenerator<RecostProgress, void, void>;
  /** Deletes these exchanges, pinned ones too. Resolves with the number of those that there were. */
  delete(ids: readonly ExchangeId[]): Promise<number>;
  /** Deletes what exceeds the retention policy, in small batches. Resolves with the number of exchanges. */
  prune(): Promise<number>;
  /** Deletes every exchange, pinned ones too, in small batches. Resolves with their number. */
  erase(): Promise<number>;
  /**
   * Calls the listener with the number of rows after each batch was written, and with 0 after rows were deleted. Returns a
   * function that removes the listener.
   */
  on(listener: (written: number) => void): () => void;
  /**
   * Calls the listener with the ids of exchanges that are dropped, at once, and before a `flush` that waits for them resolves. It must
   * not throw. Returns a function that removes the listener.
   */
  onDropped(listener: (ids: readonly ExchangeId[]) => void): () => void;
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
  const onDeleted = () => writer.notifyWritten(0);
  const maintenance =
    getRetention === null
      ? null
      : startMaintenance({ store, index, clock, log, getRetention, signal, onDeleted });
  const stopWatching = writer.on((written) => maintenance?.onWritten(written));

  return {
    record: (exchange, heads) => writer.record(exchange, heads ?? null),
    flush: () => writer.flush(),
    page: (query) => readPage(source, query),
    get: (id) => getWrittenExchange(store, writer, id),
    findExisting: (ids) => findExisting(store, writer, ids),
    setSteps: (steps) => writer.setSteps(steps),
    count: (filter, upTo) => countExchanges(source, filter, upTo),
    names: () => listAllNames(store),
    days: (scope) => sumDays(store, now(), scope),
    ...openAttention(store, now),
    perModel: (scope) => sumModels(store, scope),
    batches: (query) => readBatches(source, query, options.redact),
    list: (filter) => listExchanges(source, filter),
    follow: (query) => followExchanges(store, query),
    ...openUsageReports(store),
    ...openMarks(options, () => writer.flush()),
    ...openCosts(store, writer),
    delete: async (ids) => {
      await writer.flush();
      const deleted = await index.rebuildOnDamage(() => deleteById(store, ids, { index, signal }));
      if (deleted > 0) writer.notifyWritten(0);
      return deleted;
    },
    prune: async () => (await maintenance?.prune()) ?? 0,
    erase: async () => {
      await writer.flush();
      const deleted = await index.rebuildOnDamage(() => erase(store, { index, signal }));
      writer.notifyWritten(0);
      return deleted;
    },
    on: (listener) => writer.on(listener),
    onDropped: (listener) => writer.onDropped(listener),
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

function openAttention(
  store: Store,
  now: () => number,
): Pick<History, 'attention' | 'withoutDismissed' | 'dismiss'> {
  return {
    attention: (context) => findAttention(store, now(), context),
    withoutDismissed: (found) => withoutDismissed(store, found, now()),
    dismiss: (id, at) => dismiss(store, id, at),
  };
}

function openCosts(
  store: Store,
  writer: HistoryWriter,
): Pick<
  History,
  'unpriced' | 'unpricedVideos' | 'priceable' | 'costPlace' | 'costRun' | 'costRuns' | 'recost'
> {
  return {
    unpriced: () => listUnpriced(store),
    unpricedVideos: (prices, at) => listUnpricedVideos(store, prices, at),
    priceable: (query, prices) => countPriceable(store, query, prices),
    costRun: async (run) => {
      await writer.flush();
      return await costRun(store, run);
    },
    costPlace: async (place) => {
      await writer.flush();
      return await costPlace(store, place);
    },
    costRuns: async (page) => {
      await writer.flush();
      return await costRuns(store, page);
    },
    async *recost(query) {
      await writer.flush();
      try {
        yield* recost(store, query);
      } finally {
        if (!query.dryRun) writer.notifyWritten(0);
      }
    },
  };
}

async function listAllNames(store: Store): Promise<AllNames> {
  const [used, tools, tags] = await Promise.all([
    listNames(store),
    listLatestTools(store),
    listTags(store),
  ]);
  return { ...used, tools, tags };
}

/** Returns a clock for callers that open the history briefly and have no trusted clock. */
function plain(now: () => number): HistoryClock {
  return { now, behind: () => 0, save: () => Promise.resolve() };
}

/** Gets an exchange, also one that waits to be written. */
async function getWrittenExchange(
  store: Store,
  writer: HistoryWriter,
  id: ExchangeId,
): Promise<ExchangeDetail | null> {
  const known = await getExchange(store, id);
  if (known !== null) return known;
  await writer.flush();
  return await getExchange(store, id);
}

async function getExchange(store: Store, id: ExchangeId): Promise<ExchangeDetail | null> {
  const row = await store.db
    .selectFrom('exchange')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const [headers, marks] = await Promise.all([readHeaders(store, id), listMarks(store.db, [id])]);
  return { exchange: fromRow(row), headers, mark: marks.get(id) ?? null };
}

async function findExisting(
  { db }: Store,
  writer: HistoryWriter,
  ids: readonly string[],
): Promise<string[]> {
  await writer.flush();
  const found: string[] = [];
  for (let at = 0; at < ids.length; at += MAX_IDS) {
    const some = ids.slice(at, at + MAX_IDS);
    const rows = await db.selectFrom('exchange').select('id').where('id', 'in', some).execute();
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}
