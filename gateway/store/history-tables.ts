import type { ColumnType, Generated } from 'kysely';
import type { EndedBy, RouteName } from '../../shared/exchange/exchange.ts';
import type { UsageSource } from '../../shared/exchange/usage.ts';
import type { CostSource } from '../../shared/money/cost.ts';

/** Returns whether a table of `gatehouse.db` belongs to the history, which copies leave out and which serving does not need. */
export function isHistoryTable(table: string): boolean {
  return /^exchange(?:_|$)/u.test(table);
}

/** Returns whether a table belongs to the search index of the history, which can be rebuilt from the exchanges. */
export function isSearchTable(table: string): boolean {
  return /^exchange_(?:text|word|index)(?:_|$)/u.test(table);
}

/** A column that is set once and never updated. */
export type Fixed<T> = ColumnType<T, T, never>;

/**
 * One row per `ExchangeRecord`; `seq` grows in the order rows were written and is never reused. Rows never change, except
 * `times` and `last_at` of refused requests that are counted together, costs that are computed again, and `run`.
 */
export interface ExchangeTable {
  readonly seq: Generated<number>;
  readonly id: Fixed<string>;
  readonly started_at: Fixed<number>;
  readonly client_id: Fixed<string | null>;
  readonly client_name: Fixed<string | null>;
  readonly conversation: Fixed<string | null>;
  /** Id of its run; set later where the run is recognised by its messages. */
  readonly run: string | null;
  /** JSON of a `Sender`. */
  readonly sender: Fixed<string | null>;
  readonly user_agent: Fixed<string | null>;
  readonly route: Fixed<RouteName>;
  readonly method: Fixed<string>;
  readonly path_received: Fixed<string>;
  readonly path_sent: Fixed<string | null>;
  readonly model_asked: Fixed<string | null>;
  readonly model_sent: Fixed<string | null>;
  readonly model_served: Fixed<string | null>;
  readonly streamed: Fixed<number>;
  readonly status: Fixed<number | null>;
  readonly error_code: Fixed<string | null>;
  readonly error_message: Fixed<string | null>;
  readonly ended_by: Fixed<EndedBy>;
  /** JSON array of `Repair`. */
  readonly repairs: Fixed<string>;
  readonly attempts: Fixed<number>;
  readonly bytes_in: Fixed<number>;
  readonly bytes_out: Fixed<number>;
  readonly first_byte_ms: Fixed<number | null>;
  readonly duration_ms: Fixed<number>;
  readonly overhead_ms: Fixed<number | null>;
  readonly usage_input: Fixed<number | null>;
  readonly usage_output: Fixed<number | null>;
  readonly usage_cache_read: Fixed<number | null>;
  readonly usage_cache_write: Fixed<number | null>;
  readonly usage_reasoning: Fixed<number | null>;
  readonly usage_source: Fixed<UsageSource>;
  readonly usage_cache_write_hour: Fixed<number | null>;
  /** JSON of `MediaTokens`; `null` when the service reported none. */
  readonly usage_media: Fixed<string | null>;
  readonly usage_reported: Fixed<'input' | 'output' | 'none' | null>;
  /** JSON of a `VideoLength`. */
  readonly video: Fixed<string | null>;
  /** Millionths of the currency. `cost_source` is `null` when there is nothing to pay, and for exchanges of earlier versions. */
  readonly cost: number | null;
  readonly cost_source: CostSource | null;
  readonly price_id: number | null;
  /** The local day (`2026-11-21`) whose totals include it. */
  readonly day: Fixed<string>;
  /** Number of equal requests that the row counts; `last_at` is when the latest of them started. */
  readonly times: number;
  readonly last_at: number;
  /** Time from which its age counts: `started_at`, or later where the clock was known to be set back. */
  readonly kept_since: Fixed<number>;
  /** Stable id of the service, see `ExchangeRecord`; `null` for exchanges of earlier versions. */
  readonly service: Fixed<string | null>;
}

/** The headers of an exchange, credentials masked: JSON as `header-snapshots.ts` writes it. Deleted with its exchange. */
export interface ExchangeHeadTable {
  readonly seq: Fixed<number>;
  readonly heads: Fixed<string>;
}

/** What a person has noted about an exchange; at least one of pin, note and tags. `tags` is a JSON array. Deleted with its exchange. */
export interface ExchangeMarkTable {
  readonly seq: Fixed<number>;
  readonly pinned: number;
  readonly note: string;
  readonly tags: string;
  readonly changed_at: number;
}

/** A tool that an exchange calls, or whose result it brings. Written after its exchange, in the order of `id`, and deleted with it. */
export interface ExchangeToolTable {
  readonly id: Generated<number>;
  readonly seq: Fixed<number>;
  readonly name: Fixed<string>;
}

/**
 * Totals of one local day (`2026-11-21`), service, client and model; an absent client or model, or an unknown service, is an empty text. Each number has a
 * count of the exchanges that had it. Always equals the totals of the rows of `exchange`: both change in one transaction.
 */
export interface ExchangeSumTable {
  readonly day: string;
  readonly service: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly model: string;
  readonly last_at: number;
  readonly exchanges: number;
  readonly errors: number;
  /** Of `errors`: those that a limit refused before anything was sent. */
  readonly refused: number;
  readonly reported: number;
  readonly estimated: number;
  readonly unknown: number;
  readonly input: number;
  readonly input_known: number;
  readonly output: number;
  readonly output_known: number;
  readonly cache_read: number;
  readonly cache_read_known: number;
  readonly cache_write: number;
  readonly cache_write_known: number;
  readonly cache_write_hour: number;
  readonly cache_write_hour_known: number;
  readonly reasoning: number;
  readonly reasoning_known: number;
  /** Millionths of the currency. */
  readonly cost: number;
  readonly cost_known: number;
  /** Exchanges whose cost is an estimate, and those whose cost is unpriced or unknown. */
  readonly cost_estimated: number;
  readonly unpriced: number;
}

/**
 * Totals of one local day and service by the name of a kind: `hour` (hours since 1970 in UTC), `client`, `model`, `route`, `project` or
 * `price` (its id); an absent client or model is an empty text. Further columns `f0` to `f39` and `r0` to `r31` count the answers by their time to the
 * first byte and their output tokens per second (`gateway/history/usage/speed-buckets.ts`). Always equals the totals of the rows of
 * `exchange`, as `exchange_sum` does.
 */
export interface ExchangeUsageTable extends Omit<
  ExchangeSumTable,
  'client_id' | 'client_name' | 'model' | 'last_at'
> {
  readonly kind: 'hour' | 'client' | 'model' | 'route' | 'price' | 'project';
  readonly name: string;
}
