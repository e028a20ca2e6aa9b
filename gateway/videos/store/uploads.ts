import type { Statement, Store } from '../../store/store.ts';

/** The address of an upload is reused for so long; the spec names no lifetime (section 8). */
const LIFE_MS = 60 * 60_000;

/** An uploaded file at a service. */
export interface Upload {
  readonly service: string;
  readonly sha256: string;
  readonly url: string;
  readonly at: number;
}

const INSERT_UPLOAD = `insert into video_upload (service, sha256, url, at) values (?, ?, ?, ?)
  on conflict (service, sha256) do update set url = excluded.url, at = excluded.at`;

export function uploadStatement({ service, sha256, url, at }: Upload): Statement {
  return { sql: INSERT_UPLOAD, rows: [[service, sha256, url, at]] };
}

/** Finds the address of a file that was uploaded within the hour before `at`; `null` when there is none. */
export async function findUpload(
  { db }: Store,
  { service, sha256, at }: Omit<Upload, 'url'>,
): Promise<string | null> {
  const row = await db
    .selectFrom('video_upload')
    .select('url')
    .where('service', '=', service)
    .where('sha256', '=', sha256)
    // Its time is in the future: the clock was set back, and its age is unknown.
    .where('at', '<=', at)
    .where('at', '>', at - LIFE_MS)
    .executeTakeFirst();
  return row?.url ?? null;
}

/** Deletes an address that the service does not accept any more. */
export async function deleteUpload({ db }: Store, service: string, url: string): Promise<void> {
  await db
    .deleteFrom('video_upload')
    .where('service', '=', service)
    .where('url', '=', url)
    .execute();
}

/** Deletes addresses that are too old to be reused. */
export async function deleteOldUploads({ db }: Store, at: number): Promise<void> {
  await db
    .deleteFrom('video_upload')
    .where('at', '<=', at - LIFE_MS)
    .execute();
}
