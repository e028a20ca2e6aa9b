import type { Store } from '../store/store.ts';

const KEY_CHANGED_SETTING = 'service-key-changed-at';

/** Saves when a service key was changed, Unix time in milliseconds. */
export async function markKeyChanged({ db }: Store, at: number): Promise<void> {
  const value = JSON.stringify(at);
  await db
    .insertInto('setting')
    .values({ key: KEY_CHANGED_SETTING, value })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
    .execute();
}

/** Reads when a service key was last changed; `null` when none ever was. */
export async function readKeyChangedAt({ db }: Store): Promise<number | null> {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', KEY_CHANGED_SETTING)
    .executeTakeFirst();
  return row === undefined ? null : Number(row.value);
}
