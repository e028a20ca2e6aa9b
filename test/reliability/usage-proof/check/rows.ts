import type { DatabaseSync } from 'node:sqlite';

/** A row of the history, as far as usage is concerned. */
export interface UsageRow {
  readonly id: string;
  /** The number of its exchange; `null` for one that the generator did not make. */
  readonly number: number | null;
  readonly route: string;
  readonly model: string;
  readonly status: number | null;
  readonly errorCode: string | null;
  readonly endedBy: string;
  readonly attempts: number;
  readonly bytesOut: number;
  readonly source: string;
  readonly input: number | null;
  readonly output: number | null;
  readonly cacheRead: number | null;
  readonly cacheWrite: number | null;
  readonly cacheWriteHour: number | null;
  readonly reasoning: number | null;
  /** Images that were counted; `null` where they were not. */
  readonly images: number | null;
  readonly cost: number | null;
  readonly costSource: string | null;
}

const QUERY = `select id, path_received, route, coalesce(model_sent, model_asked, '') as model, status, error_code, ended_by, attempts, bytes_out,
  usage_source, usage_input, usage_output, usage_cache_read, usage_cache_write, usage_cache_write_hour, usage_reasoning,
  usage_media ->> '$.images' as images, cost, cost_source from exchange order by seq`;

/** Reads all rows, oldest first. */
export function readRows(db: DatabaseSync): readonly UsageRow[] {
  return db
    .prepare(QUERY)
    .all()
    .map((row) => ({
      id: String(row['id']),
      number: findNumber(String(row['path_received'])),
      route: String(row['route']),
      model: String(row['model']),
      status: toNumber(row['status']),
      errorCode: row['error_code'] === null ? null : String(row['error_code']),
      endedBy: String(row['ended_by']),
      attempts: Number(row['attempts']),
      bytesOut: Number(row['bytes_out']),
      source: String(row['usage_source']),
      input: toNumber(row['usage_input']),
      output: toNumber(row['usage_output']),
      cacheRead: toNumber(row['usage_cache_read']),
      cacheWrite: toNumber(row['usage_cache_write']),
      cacheWriteHour: toNumber(row['usage_cache_write_hour']),
      reasoning: toNumber(row['usage_reasoning']),
      images: toNumber(row['images']),
      cost: toNumber(row['cost']),
      costSource: row['cost_source'] === null ? null : String(row['cost_source']),
    }));
}

/** Finds the number of an exchange in a request target; `null` when there is none. */
export function findNumber(target: string): number | null {
  const [, digits] = /[?&]proof=(\d+)$/u.exec(target) ?? [];
  return digits === undefined ? null : Number(digits);
}

function toNumber(value: unknown): number | null {
  return value === null ? null : Number(value);
}
