import type { Step } from '../store/store.ts';

/** A file at a service. */
export interface Upload {
  readonly service: string;
  readonly sha256: string;
  readonly url: string;
  readonly at: number;
}

const KEEP = `insert into video_upload (service, sha256, url, at) values (?, ?, ?, ?)
  on conflict (service, sha256) do update set url = excluded.url, at = excluded.at`;

export function uploadStep({ service, sha256, url, at }: Upload): Step {
  return { sql: KEEP, rows: [[service, sha256, url, at]] };
}
