import { z } from 'zod';
import type { Log } from '../host.ts';
import { tryParseJson } from '../lib/json-object.ts';
import { type Store, StoreError } from '../store/store.ts';

/** Setting that holds the service in use and since when it is. */
const USED_SETTING = 'upstream-used-since';

const Used = z.object({ service: z.string(), at: z.number() });

/** Reads since when a service is in use; `null` when another one was in use before, or the stored text is damaged. */
export async function readUsedSince({ db }: Store, service: string): Promise<number | null> {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', USED_SETTING)
    .executeTakeFirst();
  const used = row === undefined ? undefined : Used.safeParse(tryParseJson(row.value)).data;
  return used?.service === service ? used.at : null;
}

/** Saves since when a service is in use. A failure is logged, because it must not keep the service from being used. */
export async function saveUsedSince(
  { store, log }: { readonly store: Store; readonly log: Log },
  service: string,
  at: number,
): Promise<void> {
  const value = JSON.stringify({ service, at });
  try {
    await store.db
      .insertInto('setting')
      .values({ key: USED_SETTING, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    log('warn', `Since when the service is in use could not be saved. ${error.message}`);
  }
}
