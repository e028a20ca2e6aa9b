import type { ExchangeId, ExchangeRecord } from '../../shared/exchange.ts';
import type { Log } from '../host.ts';
import type { Store } from '../store/store.ts';

export interface HistoryOptions {
  readonly store: Store;
  /** Unix time in milliseconds. */
  now(): number;
  /** Takes secrets out of a text. Applied to every text before it leaves this room. */
  redact(text: string): string;
  readonly log: Log;
}

export type StatusClass = '1xx' | '2xx' | '3xx' | '4xx' | '5xx';

/** Which exchanges to list; absent fields let everything through. */
export interface HistoryFilter {
  readonly limit: number;
  /** Only exchanges older than this one: the last of the page before. */
  readonly before?: ExchangeId;
  readonly status?: number | StatusClass;
  /** The client's name. */
  readonly client?: string;
  /** The model sent to the service, or the one asked for when nothing was sent. */
  readonly model?: string;
  /** Unix time in milliseconds, inclusive. */
  readonly since?: number;
}

export type UsageKey = 'day' | 'model' | 'client';

/** Sums over the exchanges of one key. A sum is `null` when no exchange had that number. */
export interface UsageRow {
  /** A local calendar day (`2026-11-21`), a model id or a client's name; `null` when there was none. */
  readonly key: string | null;
  readonly exchanges: number;
  readonly errors: number;
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly reasoning: number | null;
  /** How many exchanges have usage from the service, from an estimate, or none at all: the sums miss the last. */
  readonly reported: number;
  readonly estimated: number;
  readonly unknown: number;
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

export declare function openHistory(options: HistoryOptions): History;
