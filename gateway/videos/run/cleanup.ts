import { sql } from 'kysely';
import type { Log } from '../../host.ts';
import { deleteOldAddedStatement } from '../store/added.ts';
import { deleteOldStatements } from '../store/order-dedupe.ts';
import type { JobRepository } from '../store/job-repository.ts';
import { deleteOldUploads } from '../store/uploads.ts';
import type { Images } from '../../images/images.ts';

export interface CleanupOptions {
  readonly repository: JobRepository;
  readonly images: Images;
  readonly log: Log;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Deletes images and records that no video needs, now and daily. Returns a function that stops it and resolves when it has stopped. */
export function startCleanup(options: CleanupOptions): () => Promise<void> {
  const { log } = options;
  let tidied = Promise.resolve();
  const begin = () => {
    tidied = cleanUp(options).catch((error: unknown) =>
      log('warn', 'Unused files of videos could not be deleted for now.', {
        reason: String(error),
      }),
    );
  };
  begin();
  const timer = setInterval(begin, DAY_MS).unref();
  return async () => {
    clearInterval(timer);
    await tidied;
  };
}

async function cleanUp({ repository, images }: CleanupOptions): Promise<void> {
  await images.removeUnused(await findUsedImages(repository));
  const now = repository.stamp();
  await deleteOldUploads(repository.store, now.at);
  await repository.store.write([...deleteOldStatements(now), deleteOldAddedStatement(now.at)]);
}

/** Finds the hashes of the images that any job refers to. */
async function findUsedImages({ store }: JobRepository): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ hash: string | null }>`
    select distinct json_extract(data, '$.image.hash') as hash from video_job where json_valid(data)
  `.execute(store.db);
  return new Set(rows.flatMap(({ hash }) => hash ?? []));
}
