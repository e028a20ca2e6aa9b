import { z } from 'zod';
import type { Attention } from '../../../shared/history/history.ts';
import { tryParseJson } from '../../lib/json-object.ts';
import type { Store } from '../../store/store.ts';

/** Setting that holds the dismissed problems: id and time of the latest occurrence that was dismissed. */
const DISMISSED_SETTING = 'attention-dismissed';
/** The oldest are forgotten beyond this number. */
const MAX_DISMISSED = 200;

const Dismissed = z.record(z.string(), z.number());

/** A program that needs a repair needs it in each request, so its alarm stays away for so long. */
const REPAIR_MS = 7 * 24 * 3_600_000;

/**
 * Leaves out problems that were dismissed and have not occurred again since; repairs for a week. A time after `now` comes from a clock
 * that was ahead, and hides that occurrence only.
 */
export async function withoutDismissed(
  store: Store,
  found: readonly Attention[],
  now: number,
): Promise<Attention[]> {
  const dismissed = await readDismissed(store.db);
  return found.filter((attention) => {
    const time = findTime(attention);
    const at = dismissed[attention.id] ?? -1;
    if (at === time) return false;
    const until = attention.kind === 'repair' ? at + REPAIR_MS : at;
    return at > now || until < time;
  });
}

/** Hides a problem until it occurs after `at`, the latest occurrence that the person saw. */
export async function dismiss(store: Store, id: string, at: number): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    const { [id]: _, ...others } = await readDismissed(db);
    const entries = [...Object.entries(others), [id, at] as const].slice(-MAX_DISMISSED);
    const value = JSON.stringify(Object.fromEntries(entries));
    await db
      .insertInto('setting')
      .values({ key: DISMISSED_SETTING, value })
      .onConflict((conflict) => conflict.column('key').doUpdateSet({ value }))
      .execute();
  });
}

function findTime(attention: Attention): number {
  return 'at' in attention ? (attention.at ?? 0) : 0;
}

/** Reads what was dismissed. A damaged text counts as nothing. */
async function readDismissed(db: Store['db']): Promise<Record<string, number>> {
  const row = await db
    .selectFrom('setting')
    .select('value')
    .where('key', '=', DISMISSED_SETTING)
    .executeTakeFirst();
  return row === undefined ? {} : (Dismissed.safeParse(tryParseJson(row.value)).data ?? {});
}
