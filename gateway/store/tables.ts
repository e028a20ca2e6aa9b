import type { ColumnType, Generated } from 'kysely';
import type { EndedBy, RouteName } from '../../shared/exchange.ts';
import type { UsageSource } from '../../shared/usage.ts';
import type { VideoAnswer, VideoJob, VideoState } from '../../shared/video.ts';

/** Tables of `gatehouse.db`. Times are Unix milliseconds, flags 0 or 1, JSON is text. */
export interface Tables {
  readonly exchange: ExchangeTable;
  readonly exchange_head: ExchangeHeadTable;
  readonly exchange_sum: ExchangeSumTable;
  readonly client: ClientTable;
  readonly upstream: UpstreamTable;
  readonly setting: SettingTable;
  readonly model_list: ModelListTable;
  readonly rejected_parameter: RejectedParameterTable;
  readonly window_code: WindowCodeTable;
  readonly window_session: WindowSessionTable;
  readonly video_job: VideoJobTable;
  readonly video_answer: VideoAnswerTable;
  readonly video_order: VideoOrderTable;
  readonly video_added: VideoAddedTable;
  readonly video_upload: VideoUploadTable;
  readonly video_fields: VideoFieldsTable;
  readonly video_preset: VideoPresetTable;
}

/** A column that is set once and never updated. */
type Fixed<T> = ColumnType<T, T, never>;

/**
 * One row per `ExchangeRecord`; `seq` grows in the order rows were written and is never reused. Rows never change, except
 * `times` and `last_at` of refused requests that are counted together.
 */
export interface ExchangeTable {
  readonly seq: Generated<number>;
  readonly id: Fixed<string>;
  readonly started_at: Fixed<number>;
  readonly client_id: Fixed<string | null>;
  readonly client_name: Fixed<string | null>;
  readonly conversation: Fixed<string | null>;
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
  /** The local day (`2026-11-21`) whose totals include it. */
  readonly day: Fixed<string>;
  /** Number of equal requests that the row counts; `last_at` is when the latest of them started. */
  readonly times: number;
  readonly last_at: number;
  /** Time from which its age counts: `started_at`, or later where the clock was known to be set back. */
  readonly kept_since: Fixed<number>;
}

/** The headers of an exchange, credentials masked: JSON as `header-snapshots.ts` writes it. Deleted with its exchange. */
export interface ExchangeHeadTable {
  readonly seq: Fixed<number>;
  readonly heads: Fixed<string>;
}

/**
 * Totals of one local day (`2026-11-21`), client and model; an absent client or model is an empty text. Each number has a
 * count of the exchanges that had it. Always equals the totals of the rows of `exchange`: both change in one transaction.
 */
export interface ExchangeSumTable {
  readonly day: string;
  readonly client_id: string;
  readonly client_name: string;
  readonly model: string;
  readonly last_at: number;
  readonly exchanges: number;
  readonly errors: number;
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
  readonly reasoning: number;
  readonly reasoning_known: number;
}

/** A client and the hash of its local key (text, unique). The key itself is not stored. */
export interface ClientTable {
  readonly id: Fixed<string>;
  readonly name: string;
  readonly key_hash: string;
  readonly created_at: Fixed<number>;
  readonly revoked_at: number | null;
}

/** A configured service; `base_url` is unique. `version_vendor` names the `<vendor>-version` header (spec section 9). */
export interface UpstreamTable {
  readonly id: Fixed<string>;
  readonly name: string;
  readonly base_url: string;
  readonly version_vendor: string | null;
  readonly active: number;
  readonly ca_file: string | null;
  readonly proxy_url: string | null;
}

/** One setting; `value` is JSON. Never a secret. */
export interface SettingTable {
  readonly key: Fixed<string>;
  readonly value: string;
}

/** The latest model list of an upstream; `body` is the JSON as received. One row per `base_url`. */
export interface ModelListTable {
  readonly base_url: Fixed<string>;
  readonly fetched_at: number;
  readonly body: string;
}

/**
 * A request parameter that a model rejected (spec section 4.2, `stream_options`). Unique per base address, model and
 * parameter.
 */
export interface RejectedParameterTable {
  readonly base_url: Fixed<string>;
  readonly model: Fixed<string>;
  readonly parameter: Fixed<string>;
  readonly seen_at: number;
}

/** A code that opens the window once, until `expires_at`; only its hash is stored. */
export interface WindowCodeTable {
  readonly code_hash: Fixed<string>;
  readonly expires_at: Fixed<number>;
}

/** A browser that may use the window. `id` is the hash of its cookie. */
export interface WindowSessionTable {
  readonly id: Fixed<string>;
  readonly token_hash: Fixed<string>;
  readonly used_at: number;
}

/**
 * One video job. `rev` grows with each change, and a change names the revision it is based on, because two processes may
 * change jobs.
 */
export interface VideoJobTable {
  readonly id: Fixed<string>;
  readonly rev: number;
  readonly state: VideoState;
  readonly origin: Fixed<VideoJob['origin']>;
  readonly client_id: Fixed<string | null>;
  readonly client_name: Fixed<string | null>;
  /** A base address, or `sandbox`, whose address changes at each start. */
  readonly service: Fixed<string>;
  readonly created_at: Fixed<number>;
  readonly state_since: number;
  /** Time of the next step of the job; `planned_at` is when that was decided. */
  readonly due_at: number | null;
  readonly planned_at: number | null;
  /** Position among the waiting jobs. */
  readonly position: number | null;
  /** Time of its latest order. */
  readonly ordered_at: number | null;
  readonly task_id: string | null;
  readonly progress: number | null;
  /** The prompt in lower case, for searching. */
  readonly words: string;
  /** The job as JSON, see `gateway/videos/transitions/job.ts`. */
  readonly data: string;
}

/** One answer of the service about a job; `times` counts equal answers in a row. Deleted with its job. */
export interface VideoAnswerTable {
  readonly seq: Generated<number>;
  readonly job_id: Fixed<string>;
  readonly stage: Fixed<VideoAnswer['stage']>;
  readonly at: Fixed<number>;
  readonly last_at: number;
  readonly times: number;
  readonly status: Fixed<number | null>;
  readonly text: Fixed<string>;
}

/**
 * A client's order, stored to recognise repeats for a while. `hash` is its identity, and unique among the rows with `holds` 1.
 * `headers` is a JSON array. Outlives its job.
 */
export interface VideoOrderTable {
  readonly job_id: Fixed<string>;
  readonly hash: Fixed<string>;
  readonly ordered_at: Fixed<number>;
  /** 1: repeats are compared with it. `null`: it was a deliberate second order, or a second one was accepted since. */
  readonly holds: 1 | null;
  /** Time when its outcome was known; `null` while it is in progress or unsure. */
  readonly settled_at: number | null;
  /** `Host.uptime` at that time; `null` for orders that an earlier version settled. */
  readonly settled_uptime: number | null;
  /** `Host.bootId` at that time. */
  readonly settled_boot: string | null;
  readonly status: number | null;
  readonly headers: string | null;
  readonly body: Uint8Array | null;
  readonly answered_at: number | null;
}

/** The id of a video that was added, even when it was removed since. */
export interface VideoAddedTable {
  readonly id: Fixed<string>;
  readonly at: Fixed<number>;
}

/** The address of a file that was uploaded to a service. */
export interface VideoUploadTable {
  readonly service: Fixed<string>;
  readonly sha256: Fixed<string>;
  readonly url: string;
  readonly at: number;
}

/** The known fields of one service: `map` is a `FieldMap` as JSON. */
export interface VideoFieldsTable {
  readonly service: Fixed<string>;
  readonly map: string;
}

/** A preset; `request` is that of a `VideoPreset` as JSON. */
export interface VideoPresetTable {
  readonly name: Fixed<string>;
  readonly request: string;
}
