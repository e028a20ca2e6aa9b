import { sql } from 'kysely';
import type { Log } from '../host.ts';
import { oldAddedStep } from './added.ts';
import { oldOrderSteps } from './kept-orders.ts';
import type { Ledger } from './ledger.ts';
import { forgetOldUploads } from './uploads.ts';
import type { Images } from '../images/images.ts';

export interface TidyOptions {
  readonly ledger: Ledger;
  readonly images: Images;
  readonly log: Log;
}

const DAY_MS = 24 * 60 * 60 * 1000;

/** Removes what no video needs any more, now and every day. Returns what stops it, and resolves when it has. */
export function keepTidy(options: TidyOptions): () => Promise<void> {
  const { log } = options;
  let tidied = Promise.resolve();
  const begin = () => {
    tidied = tidy(options).catch((error: unknown) =>
      log('warn', 'What no video needs any more stays for now.', { reason: String(error) }),
    );
  };
  begin();
  const timer = setInterval(begin, DAY_MS).unref();
  return async () => {
    clearInterval(timer);
    await tidied;
  };
}

async function tidy({ ledger, images }: TidyOptions): Promise<void> {
  await images.removeUnused(await usedImages(ledger));
  const now = ledger.occasion();
  await forgetOldUploads(ledger.store, now.at);
  await ledger.store.write([...oldOrderSteps(now), oldAddedStep(now.at)]);
}

/** The hashes of the images that jobs have, whatever became of those. */
async function usedImages({ store }: Ledger): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ hash: string | null }>`
    select distinct json_extract(data, '$.image.hash') as hash from video_job where json_valid(data)
  `.execute(store.db);
  return new Set(rows.flatMap(({ hash }) => hash ?? []));
}
