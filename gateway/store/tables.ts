import type { Generated } from 'kysely';
import type { LimitMeasure, LimitPeriod } from '../../shared/money/limit.ts';
import type { VideoAnswer, VideoJob, VideoState } from '../../shared/video/video.ts';
import type {
  ExchangeHeadTable,
  ExchangeMarkTable,
  ExchangeSumTable,
  ExchangeTable,
  ExchangeToolTable,
  ExchangeUsageTable,
  Fixed,
} from './history-tables.ts';

/** Tables of `gatehouse.db`. Times are Unix milliseconds, flags 0 or 1, JSON is text. */
export interface Tables {
  readonly exchange: ExchangeTable;
  readonly exchange_head: ExchangeHeadTable;
  readonly exchange_mark: ExchangeMarkTable;
  readonly exchange_tool: ExchangeToolTable;
  readonly exchange_sum: ExchangeSumTable;
  readonly exchange_usage: ExchangeUsageTable;
  readonly client: ClientTable;
  readonly replaced_key: ReplacedKeyTable;
  readonly temporary_key: TemporaryKeyTable;
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
  readonly saved_filter: SavedFilterTable;
  readonly price: PriceTable;
  readonly spend: SpendTable;
  readonly spend_limit: SpendLimitTable;
  readonly usage_columns: UsageColumnsTable;
  readonly profile: ProfileTable;
  readonly model_alias: ModelAliasTable;
}

/** A client and the hash of its local key (text, unique). The key itself is not stored. */
export interface ClientTable {
  readonly id: Fixed<string>;
  readonly name: string;
  readonly key_hash: string;
  readonly created_at: Fixed<number>;
  readonly revoked_at: number | null;
  readonly expires_at: number | null;
  /** When it was found expired; it stays so, whatever the clock says. */
  readonly expired_at: number | null;
  readonly keep_bodies_days: number | null;
  /** JSON array of patterns; `null`: all models. */
  readonly models: string | null;
  /** 1 when nobody was shown the key of `key_hash`, because a temporary key was the first. */
  readonly only_temporary: Generated<number>;
}

/** The hash of a local key that its client does not use any more, because it got a new one. */
export interface ReplacedKeyTable {
  readonly key_hash: Fixed<string>;
  readonly client_id: Fixed<string>;
  readonly replaced_at: Fixed<number>;
}

/** The hash of a local key that is valid for a time beside the one of its client. */
export interface TemporaryKeyTable {
  readonly key_hash: Fixed<string>;
  readonly client_id: Fixed<string>;
  readonly created_at: Fixed<number>;
  readonly expires_at: number;
  readonly ended_at: number | null;
  readonly project: string | null;
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
  readonly asks_cache_reason: Generated<number>;
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

/** A saved filter of the history; `text` is in the language of filters. */
export interface SavedFilterTable {
  readonly name: string;
  readonly text: string;
}

/** A preset; `request` is that of a `VideoPreset` as JSON. */
export interface VideoPresetTable {
  readonly name: Fixed<string>;
  readonly request: string;
}

/** A price. Rows are never edited, only retired. `prices` and `tiers` are JSON. */
export interface PriceTable {
  readonly id: Generated<number>;
  readonly service: Fixed<string | null>;
  readonly model: Fixed<string>;
  readonly valid_from: Fixed<number>;
  readonly prices: Fixed<string>;
  readonly tiers: Fixed<string>;
  readonly origin: Fixed<string>;
  readonly created_at: Fixed<number>;
  readonly retired_at: number | null;
}

/**
 * What a client has used in a quarter of an hour, counted at the start of each request: the base of its limits. `scope` is a
 * `UsageScope`, `quarter` the Unix time in quarters of an hour. It stays when exchanges are deleted.
 */
export interface SpendTable {
  readonly scope: string;
  readonly client_id: string;
  readonly quarter: number;
  /** Millionths of the currency. */
  readonly money: number;
  readonly tokens: number;
  readonly requests: number;
}

/** A limit of a client, or of all clients when `client_id` is `null`. `amount`: millionths of the currency, tokens, or requests. */
export interface SpendLimitTable {
  readonly id: Fixed<string>;
  readonly client_id: Fixed<string | null>;
  readonly measure: Fixed<LimitMeasure>;
  readonly amount: number;
  readonly period: Fixed<LimitPeriod>;
  readonly rolling: Fixed<number>;
  readonly created_at: Fixed<number>;
  /** The Unix times in milliseconds between which it refuses nothing. */
  readonly suspended_from: number | null;
  readonly suspended_until: number | null;
  readonly allowed_once_at: number | null;
}

/** The columns of one service's usage export: `columns` is a `UsageColumns` as JSON. */
export interface UsageColumnsTable {
  readonly service: Fixed<string>;
  readonly columns: string;
}

/** A named set of aliases; at most one has `used` 1. `folded` is the name in the form in which names are compared. */
export interface ProfileTable {
  readonly folded: Fixed<string>;
  readonly name: Fixed<string>;
  readonly upstream_id: string | null;
  readonly used: number;
  readonly created_at: Fixed<number>;
}

/**
 * An alias of a model; one of the same profile, client and `folded` name replaces it. `profile` is the `folded` name of one; `null`: it
 * holds always. `client_id` `null`: it holds for every client.
 */
export interface ModelAliasTable {
  readonly id: Fixed<string>;
  readonly profile: Fixed<string | null>;
  readonly client_id: Fixed<string | null>;
  readonly folded: Fixed<string>;
  readonly name: Fixed<string>;
  readonly model: Fixed<string>;
  readonly effort: Fixed<string | null>;
  readonly created_at: Fixed<number>;
}
