import { type RawBuilder, sql } from 'kysely';
import {
  type ConversationId,
  type ConversationPage,
  ConversationCursor,
  type ConversationSummary,
  type MessageId,
} from '../../../shared/chat/chat.ts';
import type { ChatTables, Store } from '../../store/store.ts';
import type { ConversationsQuery } from '../types.ts';
import { HIT_MARKER, toExcerpt } from './search-query.ts';
import { type SearchQuery, parseSearchQuery } from './search-query.ts';
import { hasReadableLanes, parseLanes } from './rows.ts';

interface SummaryRow {
  readonly id: ConversationId;
  readonly title: string;
  readonly changed_at: number;
  readonly lanes: string;
  /** `seq` of the newest message with all searched words. */
  readonly hit: number | null;
}

interface HitRow {
  readonly seq: number;
  readonly id: MessageId;
  readonly snippet: string;
}

/** Maximum words of an excerpt, of which the page shows fewer. */
const EXCERPT_WORDS = 32;
/** Characters before a match that the index does not know, and half of the characters after it. */
const CONTEXT_CHARACTERS = 60;

/** Reads one page of the list, latest changed first. */
export async function readPage(
  store: Store<ChatTables>,
  { find, limit, before }: ConversationsQuery,
): Promise<ConversationPage> {
  const question = parseSearchQuery(find);
  // Punctuation alone contains no word, so nothing matches.
  if (question === null && find.trim() !== '') return { conversations: [], next: null };
  const isAfter = before === undefined ? sql<boolean>`1` : isAfterCursor(before);
  // One more than requested shows whether there is a next page.
  const { rows } = await selectRows(question, isAfter, limit + 1).execute(store.db);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const hits = question === null ? new Map() : await readHits(store, question, shown);
  return {
    // A damaged conversation must not hide the others.
    conversations: shown.filter(hasReadableLanes).map((row) => toSummary(row, hits)),
    next: last === undefined ? null : ConversationCursor.parse(`${last.changed_at}-${last.id}`),
  };
}

function selectRows(question: SearchQuery | null, isAfter: RawBuilder<boolean>, limit: number) {
  const order = sql`order by changed_at desc, id desc limit ${limit}`;
  if (question === null) {
    return sql<SummaryRow>`select id, title, changed_at, lanes, null as hit from conversation
      where ${isAfter} ${order}`;
  }
  const text = sql`(select text from message_whole where message_whole.seq = message.seq)`;
  return sql<SummaryRow>`
    with found (seq, hit) as materialized (
      select conversation, max(seq) from message
      where ${matchesSearch(question, { index: 'message_word', text })} group by conversation
    ), titled (seq) as materialized (
      select seq from conversation
      where ${matchesSearch(question, { index: 'conversation_word', text: sql`title` })}
    )
    select id, title, changed_at, lanes, found.hit from conversation
    left join found on found.seq = conversation.seq
    where (found.hit is not null or conversation.seq in titled) and ${isAfter} ${order}`;
}

interface SearchTarget {
  readonly index: 'message_word' | 'conversation_word';
  readonly text: RawBuilder<unknown>;
}

function matchesSearch(
  { index, substrings }: SearchQuery,
  { index: searchIndex, text }: SearchTarget,
): RawBuilder<boolean> {
  const table = sql.ref(searchIndex);
  const indexed = sql`seq in (select rowid from ${table} where ${table} match ${index})`;
  const anywhere = substrings.map((word) => sql`${text} like ${`%${word}%`}`);
  return sql<boolean>`${sql.join([...(index === null ? [] : [indexed]), ...anywhere], sql` and `)}`;
}

function isAfterCursor(cursor: ConversationCursor): RawBuilder<boolean> {
  const [at = '', id = ''] = cursor.split('-');
  return sql<boolean>`(changed_at, id) < (${Number(at)}, ${id})`;
}

async function readHits(
  { db }: Store<ChatTables>,
  question: SearchQuery,
  shown: readonly SummaryRow[],
): Promise<ReadonlyMap<number, HitRow>> {
  const seqs = JSON.stringify(shown.flatMap(({ hit }) => (hit === null ? [] : [hit])));
  const { rows } = await selectHits(question, seqs).execute(db);
  return new Map(rows.map((row) => [row.seq, row]));
}

function selectHits({ index, substrings: [word] }: SearchQuery, seqs: string) {
  if (word !== undefined) {
    return sql<HitRow>`
      select seq, id,
        substr(text, max(at - ${CONTEXT_CHARACTERS}, 1), min(at - 1, ${CONTEXT_CHARACTERS})) || ${HIT_MARKER} || substr(text, at, ${2 * CONTEXT_CHARACTERS}) as snippet
      from (
        select message.seq, message.id, text, instr(lower(text), lower(${word})) as at
        from json_each(${seqs}) as hit
        cross join message on message.seq = hit.value
        join message_whole on message_whole.seq = hit.value
      )`;
  }
  return sql<HitRow>`
    select message.seq, message.id,
      snippet(message_word, 0, ${HIT_MARKER}, '', '…', ${EXCERPT_WORDS}) as snippet
    from json_each(${seqs}) as hit
    cross join message_word on message_word.rowid = hit.value
    join message on message.seq = hit.value
    where message_word match ${index}`;
}

function toSummary(row: SummaryRow, hits: ReadonlyMap<number, HitRow>): ConversationSummary {
  const hit = row.hit === null ? undefined : hits.get(row.hit);
  return {
    id: row.id,
    title: row.title,
    changedAt: row.changed_at,
    models: parseLanes(row).map(({ model }) => model),
    running: false,
    match: hit === undefined ? null : { message: hit.id, excerpt: toExcerpt(hit.snippet) },
  };
}
