import type { Store } from '../store/store.ts';

/** A model list as received, and when (Unix milliseconds). */
export interface CachedModelList {
  readonly body: string;
  readonly fetchedAt: number;
}

export async function loadModelList(
  store: Store,
  upstream: string,
): Promise<CachedModelList | null> {
  const row = await store.db
    .selectFrom('model_list')
    .select(['body', 'fetched_at'])
    .where('base_url', '=', upstream)
    .executeTakeFirst();
  return row === undefined ? null : { body: row.body, fetchedAt: row.fetched_at };
}

export async function saveModelList(
  store: Store,
  upstream: string,
  { body, fetchedAt }: CachedModelList,
): Promise<void> {
  await store.db
    .insertInto('model_list')
    .values({ base_url: upstream, body, fetched_at: fetchedAt })
    .onConflict((conflict) =>
      conflict.column('base_url').doUpdateSet({ body, fetched_at: fetchedAt }),
    )
    .execute();
}
