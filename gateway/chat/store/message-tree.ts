import { type Kysely, sql } from 'kysely';
import { z } from 'zod';
import {
  type ChatMessage,
  type ConversationId,
  MessageId,
  type OpenConversation,
  type PathEntry,
} from '../../../shared/chat/chat.ts';
import { NotFoundError } from '../../errors.ts';
import type { ChatTables } from '../../store/store.ts';
import { type ConversationRow, toConversation, type MessageRow, toMessage } from './rows.ts';

type Db = Kysely<ChatTables>;

/** Lane, id, whether it is a person's message, and length of its text. */
const PathRows = z.array(z.tuple([z.number(), MessageId, z.literal([0, 1]), z.number()]));
const Seqs = z.array(z.number());

/** Small enough that building the messages of one batch blocks the event loop for only a few milliseconds. */
const BATCH = 200;

/** Reads a conversation with the path of every lane. @throws NotFoundError */
export async function readOpen(db: Db, id: ConversationId): Promise<OpenConversation> {
  // Read as one text, because ten thousand rows would be copied between threads value by value.
  const { rows } = await sql<ConversationRow & { readonly steps: string }>`
    with recursive walk (lane, seq, parent, id, model, length) as (
      select lane.key, message.seq, message.parent, message.id, message.model, message.length
      from conversation, json_each(conversation.lanes) as lane
      join message on message.id = lane.value ->> 'at'
      where conversation.id = ${id}
      union all
      select walk.lane, message.seq, message.parent, message.id, message.model, message.length
      from walk join message on message.seq = walk.parent
    )
    select conversation.*, (
      select json_group_array(json_array(lane, id, model is null, length) order by seq) from walk
    ) as steps
    from conversation where id = ${id}`.execute(db);
  const [row] = rows;
  if (row === undefined) throw conversationNotFoundError();
  const conversation = toConversation(row);
  const paths = conversation.lanes.map((): PathEntry[] => []);
  for (const [lane, message, byPerson, length] of PathRows.parse(JSON.parse(row.steps))) {
    paths[lane]?.push({ id: message, by: byPerson === 1 ? 'person' : 'model', length });
  }
  return { conversation, paths };
}

/** Reads complete messages, in the requested order; omits deleted ones. */
export async function readMessages(db: Db, ids: readonly MessageId[]): Promise<ChatMessage[]> {
  const { rows } = await sql<MessageRow>`${SELECT_MESSAGE}
    from json_each(${JSON.stringify(ids)}) as asked
    join message on message.id = asked.value
    ${JOIN_MESSAGE} order by asked.key`.execute(db);
  return rows.map(toMessage);
}

/** Yields the path from the first message to this one, in batches. @throws NotFoundError */
export async function* readPath(db: Db, message: MessageId): AsyncGenerator<ChatMessage[]> {
  const { rows } = await sql<{ readonly seqs: string }>`
    with recursive walk (seq, parent) as (
      select seq, parent from message where id = ${message}
      union all
      select message.seq, message.parent from walk join message on message.seq = walk.parent
    )
    select json_group_array(seq order by seq) as seqs from walk`.execute(db);
  const seqs = Seqs.parse(JSON.parse(rows[0]?.seqs ?? '[]'));
  if (seqs.length === 0) throw messageNotFoundError();
  for (let at = 0; at < seqs.length; at += BATCH) {
    // Batches are small, so that other work can run in between.
    yield await readBySeq(db, seqs.slice(at, at + BATCH));
  }
}

/** Yields every message of a conversation, in order of creation, in batches. `conversation`: its `seq`. */
export async function* readAll(db: Db, conversation: number): AsyncGenerator<ChatMessage[]> {
  for (let last = 0; ;) {
    const rows = await db
      .selectFrom('message')
      .select('seq')
      .where('conversation', '=', conversation)
      .where('seq', '>', last)
      .orderBy('seq')
      .limit(BATCH)
      .execute();
    const seqs = rows.map(({ seq }) => seq);
    if (seqs.length > 0) yield await readBySeq(db, seqs);
    if (seqs.length < BATCH) return;
    last = seqs.at(-1) ?? last;
  }
}

async function readBySeq(db: Db, seqs: readonly number[]): Promise<ChatMessage[]> {
  const { rows } = await sql<MessageRow>`${SELECT_MESSAGE}
    from json_each(${JSON.stringify(seqs)}) as asked
    join message on message.seq = asked.value
    ${JOIN_MESSAGE} order by asked.key`.execute(db);
  return rows.map(toMessage);
}

const SELECT_MESSAGE = sql`
  select message.id, conversation.id as conversation, parent.id as parent, message.created_at,
    content.text, content.reasoning, content.files, content.answer, (
      select json_group_array(sibling.id order by sibling.seq) from message as sibling
      where sibling.conversation = message.conversation and sibling.parent is message.parent
    ) as siblings`;
const JOIN_MESSAGE = sql`
  join message_content as content on content.seq = message.seq
  join conversation on conversation.seq = message.conversation
  left join message as parent on parent.seq = message.parent`;

export interface BranchQuery {
  /** `seq` of the conversation. */
  readonly conversation: number;
  readonly message: MessageId;
  /** Model whose branches are preferred. */
  readonly model: string;
}

/**
 * Finds the end of the newest branch through a message. Prefers branches that this model answered, because other models'
 * answers to the same message may be beside it.
 * @throws NotFoundError
 */
export async function findNewestLeaf(db: Db, query: BranchQuery): Promise<MessageId> {
  // Cross-joined in this order, because in the other order SQLite scans the whole conversation for each message.
  const { rows } = await sql<{ readonly id: MessageId }>`
    with recursive branch (seq, id, model) as (
      select seq, id, model from message
      where id = ${query.message} and conversation = ${query.conversation}
      union all
      select message.seq, message.id, message.model from branch
      cross join message on message.conversation = ${query.conversation} and message.parent = branch.seq
    )
    select id from branch
    where not exists (
      select 1 from message
      where message.conversation = ${query.conversation} and message.parent = branch.seq
    )
    order by model is ${query.model} desc, seq desc limit 1`.execute(db);
  const [leaf] = rows;
  if (leaf === undefined) throw messageNotFoundError();
  return leaf.id;
}

/** Finds the row of a conversation, with its `seq`. @throws NotFoundError */
export async function findConversation(
  db: Db,
  id: ConversationId,
): Promise<ConversationRow & { readonly seq: number }> {
  const row = await db
    .selectFrom('conversation')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  if (row === undefined) throw conversationNotFoundError();
  return row;
}

export function messageNotFoundError(): NotFoundError {
  return new NotFoundError('This message no longer exists.');
}

function conversationNotFoundError(): NotFoundError {
  return new NotFoundError('This conversation no longer exists.');
}
