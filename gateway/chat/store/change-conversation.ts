import type { Kysely } from 'kysely';
import {
  type Conversation,
  type ConversationChange,
  ConversationId,
  type Lane,
  type MessageId,
  type NewConversation,
} from '../../../shared/chat/chat.ts';
import type { ChatTables } from '../../store/store.ts';
import { getLane } from './add-turns.ts';
import { type ChatDeps, createId } from './deps.ts';
import { toConversation, parseLanes } from './rows.ts';
import { findConversation, findNewestLeaf } from './message-tree.ts';

/** Stores a new, empty conversation. */
export async function addConversation(
  deps: ChatDeps,
  { settings, lanes }: NewConversation,
): Promise<Conversation> {
  const now = deps.host.now();
  const row = {
    id: ConversationId.parse(createId(deps)),
    title: '',
    created_at: now,
    changed_at: now,
    settings: JSON.stringify(settings),
    lanes: JSON.stringify(lanes.map((lane): Lane => ({ ...lane, at: null }))),
  };
  await deps.store.db.insertInto('conversation').values(row).execute();
  return toConversation(row);
}

/** @throws NotFoundError */
export async function changeConversation(
  { store }: ChatDeps,
  id: ConversationId,
  { title, settings, lanes }: ConversationChange,
): Promise<Conversation> {
  return await store.db.transaction().execute(async (trx) => {
    const row = await findConversation(trx, id);
    const lanesBefore = parseLanes(row);
    const lanesAfter =
      lanes?.map(({ from, ...model }): Lane => ({ ...model, at: getLane(lanesBefore, from).at })) ??
      lanesBefore;
    const values = {
      title: title ?? row.title,
      settings: settings === undefined ? row.settings : JSON.stringify(settings),
      lanes: JSON.stringify(lanesAfter),
    };
    await trx.updateTable('conversation').set(values).where('seq', '=', row.seq).execute();
    return toConversation({ ...row, ...values });
  });
}

/** Moves a lane to the newest branch through a message. @throws NotFoundError */
export async function selectBranch(
  { store }: ChatDeps,
  id: ConversationId,
  target: { readonly lane: number; readonly message: MessageId },
): Promise<Conversation> {
  return await store.db.transaction().execute(async (trx: Kysely<ChatTables>) => {
    const row = await findConversation(trx, id);
    const lanesAfter = parseLanes(row);
    const lane = getLane(lanesAfter, target.lane);
    const { message } = target;
    const query = { conversation: row.seq, message, model: lane.model };
    lanesAfter[target.lane] = { ...lane, at: await findNewestLeaf(trx, query) };
    const lanes = JSON.stringify(lanesAfter);
    await trx.updateTable('conversation').set({ lanes }).where('seq', '=', row.seq).execute();
    return toConversation({ ...row, lanes });
  });
}
