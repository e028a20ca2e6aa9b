import { type Kysely, sql } from 'kysely';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import {
  type ExchangeMark,
  MAX_TAGS,
  type MarkChange,
} from '../../../shared/exchange/exchange-mark.ts';
import { UserError } from '../../errors.ts';
import type { Store, Tables } from '../../store/store.ts';
import { changeTags, listMarks } from './read-marks.ts';

/** Exchanges that are marked in one statement. */
const BATCH = 500;

const NO_MARK: Omit<ExchangeMark, 'changedAt'> = { pinned: false, note: '', tags: [] };

interface MarkOptions {
  readonly change: MarkChange;
  /** Unix time in milliseconds. */
  readonly now: number;
  /** Removes secrets from a text. */
  readonly redact: (text: string) => string;
}

/**
 * Changes the mark of an exchange. Resolves with the mark after it; `null` when there is no such exchange. @throws UserError when a
 * tag has a secret, and when there would be too many
 */
export async function changeMark(
  { db, guard }: Store,
  id: ExchangeId,
  { change, now, redact }: MarkOptions,
): Promise<ExchangeMark | null> {
  const { addTags = [], removeTags = [] } = change;
  // A masked one could have a space.
  if (addTags.some((tag) => guard.redact(redact(tag)) !== tag)) {
    throw new UserError('A tag contains a key, which is not stored. Leave it out.', 'tags');
  }
  return await db.transaction().execute(async (trx) => {
    const row = await trx
      .selectFrom('exchange')
      .select('seq')
      .where('id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    const before = (await listMarks(trx, [id])).get(id) ?? NO_MARK;
    const { pinned = before.pinned } = change;
    const note = change.note === undefined ? before.note : guard.redact(redact(change.note));
    const tags = changeTags(before.tags, addTags, removeTags);
    if (tags.length > MAX_TAGS) {
      throw new UserError(`An exchange has at most ${MAX_TAGS} tags. Remove one first.`, 'tags');
    }
    const mark = { pinned, note, tags, changedAt: now };
    await writeMark(trx, row.seq, mark);
    return mark;
  });
}

/** Stores a mark, or deletes one without contents. */
async function writeMark(
  trx: Kysely<Tables>,
  seq: number,
  { pinned, note, tags, changedAt }: ExchangeMark,
): Promise<void> {
  if (!pinned && note === '' && tags.length === 0) {
    await trx.deleteFrom('exchange_mark').where('seq', '=', seq).execute();
    return;
  }
  const values = {
    pinned: pinned ? 1 : 0,
    note,
    tags: JSON.stringify(tags),
    changed_at: changedAt,
  };
  await trx
    .insertInto('exchange_mark')
    .values({ seq, ...values })
    .onConflict((conflict) => conflict.column('seq').doUpdateSet(values))
    .execute();
}

/** Pins exchanges, or unpins them. Resolves with those of them that there are. */
export async function pinExchanges(
  { db }: Store,
  ids: readonly ExchangeId[],
  { pinned, now }: { readonly pinned: boolean; readonly now: number },
): Promise<ExchangeId[]> {
  const found: ExchangeId[] = [];
  for (let at = 0; at < ids.length; at += BATCH) {
    const some = JSON.stringify(ids.slice(at, at + BATCH));
    const rows = await db.transaction().execute(async (trx) => {
      const these = sql`exchange where id in (select value from json_each(${some}))`;
      await sql`insert into exchange_mark (seq, pinned, note, tags, changed_at)
        select seq, ${pinned ? 1 : 0}, '', '[]', ${now} from ${these}
        on conflict (seq) do update set pinned = excluded.pinned, changed_at = excluded.changed_at
        where pinned <> excluded.pinned`.execute(trx);
      await sql`delete from exchange_mark where pinned = 0 and note = '' and tags = '[]'
        and seq in (select seq from ${these})`.execute(trx);
      return (await sql<{ id: ExchangeId }>`select id from ${these}`.execute(trx)).rows;
    });
    found.push(...rows.map(({ id }) => id));
  }
  return found;
}
