import { type RawBuilder, sql } from 'kysely';
import {
  type ConversationId,
  type ConversationPage,
  ConversationPlace,
  type ConversationSummary,
  type MessageId,
} from '../../shared/chat.ts';
import type { ChatTables, Store } from '../store/store.ts';
import type { ConversationsAsked } from './conversations.ts';
import { HIT, pieceOf } from './piece.ts';
import { type Question, questionOf } from './question.ts';
import { isReadable, lanesOf } from './rows.ts';

interface SummaryRow {
  readonly id: ConversationId;
  readonly title: string;
  readonly changed_at: number;
  readonly lanes: string;
  /** `seq` of the newest message with all words that are searched for. */
  readonly hit: number | null;
}

interface HitRow {
  readonly seq: number;
  readonly id: MessageId;
  readonly snippet: string;
}

/** The most words of a piece, of which the page shows fewer. */
const PIECE_WORDS = 32;
/** Characters before a hit that the index does not know, and half of those that follow. */
const AROUND = 60;

/** One page of the list, the latest changed first. */
export async function readPage(
  store: Store<ChatTables>,
  { find, limit, before }: ConversationsAsked,
): Promise<ConversationPage> {
  const question = questionOf(find);
  // Signs alone are no word, and so nowhere.
  if (question === null && find.trim() !== '') return { conversations: [], next: null };
  const behind = before === undefined ? sql<boolean>`1` : after(before);
  // One more than asked for tells whether there is a next page.
  const { rows } = await rowsOf(question, behind, limit + 1).execute(store.db);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const hits = question === null ? new Map() : await readHits(store, question, shown);
  return {
    // One that is damaged must not take the others with it.
    conversations: shown.filter(isReadable).map((row) => summaryOf(row, hits)),
    next: last === undefined ? null : ConversationPlace.parse(`${last.changed_at}-${last.id}`),
  };
}

function rowsOf(question: Question | null, behind: RawBuilder<boolean>, limit: number) {
  const order = sql`order by changed_at desc, id desc limit ${limit}`;
  if (question === null) {
    return sql<SummaryRow>`select id, title, changed_at, lanes, null as hit from conversation
      where ${behind} ${order}`;
  }
  const text = sql`(select text from message_whole where message_whole.seq = message.seq)`;
  return sql<SummaryRow>`
    with found (seq, hit) as materialized (
      select conversation, max(seq) from message
      where ${holds(question, { words: 'message_word', text })} group by conversation
    ), titled (seq) as materialized (
      select seq from conversation
      where ${holds(question, { words: 'conversation_word', text: sql`title` })}
    )
    select id, title, changed_at, lanes, found.hit from conversation
    left join found on found.seq = conversation.seq
    where (found.hit is not null or conversation.seq in titled) and ${behind} ${order}`;
}

interface Searched {
  readonly words: 'message_word' | 'conversation_word';
  readonly text: RawBuilder<unknown>;
}

function holds({ index, inside }: Question, { words, text }: Searched): RawBuilder<boolean> {
  const table = sql.ref(words);
  const indexed = sql`seq in (select rowid from ${table} where ${table} match ${index})`;
  const anywhere = inside.map((word) => sql`${text} like ${`%${word}%`}`);
  return sql<boolean>`${sql.join([...(index === null ? [] : [indexed]), ...anywhere], sql` and `)}`;
}

function after(place: ConversationPlace): RawBuilder<boolean> {
  const [at = '', id = ''] = place.split('-');
  return sql<boolean>`(changed_at, id) < (${Number(at)}, ${id})`;
}

async function readHits(
  { db }: Store<ChatTables>,
  question: Question,
  shown: readonly SummaryRow[],
): Promise<ReadonlyMap<number, HitRow>> {
  const seqs = JSON.stringify(shown.flatMap(({ hit }) => (hit === null ? [] : [hit])));
  const { rows } = await hitsOf(question, seqs).execute(db);
  return new Map(rows.map((row) => [row.seq, row]));
}

function hitsOf({ index, inside: [word] }: Question, seqs: string) {
  if (word !== undefined) {
    return sql<HitRow>`
      select seq, id,
        substr(text, max(at - ${AROUND}, 1), min(at - 1, ${AROUND})) || ${HIT} || substr(text, at, ${2 * AROUND}) as snippet
      from (
        select message.seq, message.id, text, instr(lower(text), lower(${word})) as at
        from json_each(${seqs}) as hit
        cross join message on message.seq = hit.value
        join message_whole on message_whole.seq = hit.value
      )`;
  }
  return sql<HitRow>`
    select message.seq, message.id,
      snippet(message_word, 0, ${HIT}, '', '…', ${PIECE_WORDS}) as snippet
    from json_each(${seqs}) as hit
    cross join message_word on message_word.rowid = hit.value
    join message on message.seq = hit.value
    where message_word match ${index}`;
}

function summaryOf(row: SummaryRow, hits: ReadonlyMap<number, HitRow>): ConversationSummary {
  const hit = row.hit === null ? undefined : hits.get(row.hit);
  return {
    id: row.id,
    title: row.title,
    changedAt: row.changed_at,
    models: lanesOf(row).map(({ model }) => model),
    running: false,
    found: hit === undefined ? null : { message: hit.id, piece: pieceOf(hit.snippet) },
  };
}
