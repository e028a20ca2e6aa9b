import type { Statement, Store } from '../../store/store.ts';

/** How long the address of an upload is used again; the spec shows no life (section 8). */
const LIFE_MS = 60 * 60_000;

/** A file at a service. */
export interface Upload {
  readonly service: string;
  readonly sha256: string;
  readonly url: string;
  readonly at: number;
}

const KEEP = `insert into video_upload (service, sha256, url, at) values (?, ?, ?, ?)
  on conflict (service, sha256) do update set url = excluded.url, at = excluded.at`;

export function uploadStatement({ service, sha256, url, at }: Upload): Statement {
  return { sql: KEEP, rows: [[service, sha256, url, at]] };
}

/** The address of a file that was uploaded within the hour before `at`. */
export async function findUpload(
  { db }: Store,
  { service, sha256, at }: Omit<Upload, 'url'>,
): Promise<string | null> {
  const row = await db
    .selectFrom('video_upload')
    .select('url')
    .where('service', '=', service)
    .where('sha256', '=', sha256)
    // From the future: the clock was set back, and the age is not known.
    .where('at', '<=', at)
    .where('at', '>', at - LIFE_MS)
    .executeTakeFirst();
  return row?.url ?? null;
}

/** Forgets an address that the service does not take any more. */
export async function deleteUpload({ db }: Store, service: string, url: string): Promise<void> {
  await db
    .deleteFrom('video_upload')
    .where('service', '=', service)
    .where('url', '=', url)
    .execute();
}

/** Forgets addresses that are not used again. */
export async function deleteOldUploads({ db }: Store, at: number): Promise<void> {
  await db
    .deleteFrom('video_upload')
    .where('at', '<=', at - LIFE_MS)
    .execute();
}
