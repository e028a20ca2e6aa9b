import type { Kysely } from 'kysely';
import {
  type Conversation,
  type ConversationChange,
  ConversationId,
  type Lane,
  type MessageId,
  type NewConversation,
} from '../../shared/chat.ts';
import type { ChatTables } from '../store/store.ts';
import { laneAt } from './adding.ts';
import { type ChatGround, newId } from './ground.ts';
import { conversationOf, lanesOf } from './rows.ts';
import { findConversation, newestEnd } from './tree.ts';

/** Keeps a new conversation, in which nothing was said yet. */
export async function addConversation(
  ground: ChatGround,
  { settings, lanes }: NewConversation,
): Promise<Conversation> {
  const now = ground.host.now();
  const row = {
    id: ConversationId.parse(newId(ground)),
    title: '',
    created_at: now,
    changed_at: now,
    settings: JSON.stringify(settings),
    lanes: JSON.stringify(lanes.map((lane): Lane => ({ ...lane, at: null }))),
  };
  await ground.store.db.insertInto('conversation').values(row).execute();
  return conversationOf(row);
}

/** @throws NotFound */
export async function changeConversation(
  { store }: ChatGround,
  id: ConversationId,
  { title, settings, lanes }: ConversationChange,
): Promise<Conversation> {
  return await store.db.transaction().execute(async (inside) => {
    const row = await findConversation(inside, id);
    const now = lanesOf(row);
    const after =
      lanes?.map(({ from, ...model }): Lane => ({ ...model, at: laneAt(now, from).at })) ?? now;
    const values = {
      title: title ?? row.title,
      settings: settings === undefined ? row.settings : JSON.stringify(settings),
      lanes: JSON.stringify(after),
    };
    await inside.updateTable('conversation').set(values).where('seq', '=', row.seq).execute();
    return conversationOf({ ...row, ...values });
  });
}

/** Takes a lane to the newest branch through a message. @throws NotFound */
export async function goTo(
  { store }: ChatGround,
  id: ConversationId,
  to: { readonly lane: number; readonly message: MessageId },
): Promise<Conversation> {
  return await store.db.transaction().execute(async (inside: Kysely<ChatTables>) => {
    const row = await findConversation(inside, id);
    const after = lanesOf(row);
    const lane = laneAt(after, to.lane);
    const { message } = to;
    const through = { conversation: row.seq, message, model: lane.model };
    after[to.lane] = { ...lane, at: await newestEnd(inside, through) };
    const lanes = JSON.stringify(after);
    await inside.updateTable('conversation').set({ lanes }).where('seq', '=', row.seq).execute();
    return conversationOf({ ...row, lanes });
  });
}
