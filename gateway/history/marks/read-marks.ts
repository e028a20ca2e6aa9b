import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import {
  type ExchangeMark,
  type MarkSummary,
  toTagKey,
} from '../../../shared/exchange/exchange-mark.ts';
import type { Store, Tables } from '../../store/store.ts';

type MarkRow = Omit<Selectable<Tables['exchange_mark']>, 'seq'>;

const MAX_TAGS_LISTED = 200;

/** Returns the marks of these exchanges, by id. */
export async function listMarks(
  db: Kysely<Tables>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, ExchangeMark>> {
  const { rows } = await sql<MarkRow & { id: string }>`select id, pinned, note, tags, changed_at
    from exchange join exchange_mark on exchange_mark.seq = exchange.seq
    where id in (select value from json_each(${JSON.stringify(ids)}))`.execute(db);
  return new Map(rows.map(({ id, ...row }) => [id, toMark(row)]));
}

/** Returns which of these exchanges there are, each with the short form of its mark. */
export async function listMarkSummaries(
  { db }: Store,
  ids: readonly ExchangeId[],
): Promise<{ readonly id: ExchangeId; readonly mark: MarkSummary | null }[]> {
  const known = await sql<{ id: ExchangeId }>`select id from exchange
    where id in (select value from json_each(${JSON.stringify(ids)}))`.execute(db);
  const marks = await listMarks(db, ids);
  return known.rows.map(({ id }) => ({ id, mark: toMarkSummary(marks.get(id)) }));
}

/** Returns the part of a mark that a list shows. */
export function toMarkSummary(mark: ExchangeMark | undefined): MarkSummary | null {
  if (mark === undefined) return null;
  const { pinned, tags, note } = mark;
  return { pinned, tags, hasNote: note !== '' };
}

/** Returns the ids of all pinned exchanges. */
export async function listPinned({ db }: Store): Promise<ExchangeId[]> {
  const { rows } = await sql<{ id: ExchangeId }>`select exchange.id from exchange_mark
    cross join exchange on exchange.seq = exchange_mark.seq where pinned`.execute(db);
  return rows.map(({ id }) => id);
}

/** Returns the tags that occur, most used first, at most 200. */
export async function listTags({ db }: Store): Promise<string[]> {
  const { rows } = await sql<{ tag: string }>`select min(value) as tag
    from exchange_mark, json_each(exchange_mark.tags) group by fold_case(value)
    order by count(*) desc, tag limit ${MAX_TAGS_LISTED}`.execute(db);
  return rows.map(({ tag }) => tag);
}

/** Converts a row to a mark. @throws Error when Gatehouse did not write the row. */
function toMark({ pinned, note, tags, changed_at: changedAt }: MarkRow): ExchangeMark {
  return {
    pinned: pinned === 1,
    note,
    tags: z.array(z.string()).parse(JSON.parse(tags)),
    changedAt,
  };
}

/** Adds and removes tags, and keeps the rest in its order. */
export function changeTags(
  tags: readonly string[],
  added: readonly string[],
  removed: readonly string[],
): string[] {
  const gone = new Set(removed.map(toTagKey));
  const byKey = new Map(tags.map((tag) => [toTagKey(tag), tag]));
  for (const tag of added) if (!byKey.has(toTagKey(tag))) byKey.set(toTagKey(tag), tag);
  return [...byKey].filter(([key]) => !gone.has(key)).map(([, tag]) => tag);
}
