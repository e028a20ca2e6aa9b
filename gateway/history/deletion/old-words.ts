import { type Kysely, sql } from 'kysely';
import { formatDay } from '../../../shared/format.ts';
import type { Store, Tables } from '../../store/store.ts';
import { IS_PINNED } from '../marks/pinned.ts';
import { type ExchangeRow, fromRow } from '../row.ts';
import { SearchDocumentBuilder } from '../search/search-documents.ts';
import { LAST } from '../search/search-index.ts';

const DAY_MS = 24 * 3_600_000;
const BATCH_SIZE = 200;

/** Removes words that only deleted exchanges had. Those of pinned exchanges, which may be older than all others, stay. */
export async function removeOldWords({ db }: Store): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const oldest = await sql<{ at: number }>`select started_at as at from exchange
      where not ${IS_PINNED} order by started_at limit 1`.execute(trx);
    const at = oldest.rows[0]?.at;
    // The previous day, because another time zone may have been a day behind.
    const day = at === undefined ? LAST : formatDay(at - DAY_MS);
    await sql`delete from exchange_word where day < ${day}`.execute(trx);
    await addPinnedWords(trx, at ?? Number.MAX_SAFE_INTEGER);
  });
}

/** Adds the words of the pinned exchanges that began before a time. */
async function addPinnedWords(trx: Kysely<Tables>, before: number): Promise<void> {
  const documents = new SearchDocumentBuilder();
  for (let after = 0, more = true; more;) {
    const { rows } = await sql<ExchangeRow>`select exchange.*
      from exchange_mark cross join exchange on exchange.seq = exchange_mark.seq
      where pinned and exchange_mark.seq > ${after} and started_at < ${before}
      order by exchange_mark.seq limit ${BATCH_SIZE}`.execute(trx);
    for (const row of rows) documents.build(fromRow(row));
    const words = JSON.stringify(documents.takeNewWords());
    await sql`insert into exchange_word (word, day)
      select value ->> 'word', value ->> 'day' from json_each(${words}) where true
      on conflict do nothing`.execute(trx);
    after = rows.at(-1)?.seq ?? after;
    more = rows.length === BATCH_SIZE;
  }
}
