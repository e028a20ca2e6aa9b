import { type RawBuilder, sql } from 'kysely';
import type { ConversationId } from '../../shared/chat.ts';
import { systemCode } from '../disk.ts';
import { StoreError } from '../store/store.ts';
import type { ChatGround } from './ground.ts';
import { findConversation } from './tree.ts';

/** Deletes a conversation for good. @throws NotFound */
export async function removeConversation(ground: ChatGround, id: ConversationId): Promise<void> {
  await ground.inTurn(async () => {
    const { seq } = await findConversation(ground.store.db, id);
    await removeWhere(ground, sql<boolean>`conversation.seq = ${seq}`);
  });
}

/** Deletes all of them for good, with every image. Gives which there were. */
export async function eraseConversations(ground: ChatGround): Promise<readonly ConversationId[]> {
  return await ground.inTurn(async () => {
    const erased = await removeWhere(ground, sql<boolean>`1`);
    await ground.images.removeAll();
    return erased;
  });
}

/** Removes images that were taken up a week ago or earlier and that nothing was said with. */
export async function tidyImages({ store, images, inTurn }: ChatGround): Promise<void> {
  await inTurn(async () => {
    const used = await store.db.selectFrom('message_image').select('hash').distinct().execute();
    await images.removeUnused(new Set(used.map(({ hash }) => hash)));
  });
}

async function removeWhere(
  ground: ChatGround,
  condition: RawBuilder<boolean>,
): Promise<readonly ConversationId[]> {
  const { store, images } = ground;
  const removed = await store.db.transaction().execute(async (inside) => {
    const had = await sql<{ readonly hash: string }>`select distinct hash from message_image
      join message on message.seq = message_image.message
      join conversation on conversation.seq = message.conversation
      where ${condition}`.execute(inside);
    const ids = await inside.deleteFrom('conversation').where(condition).returning('id').execute();
    const kept = await sql<{ readonly hash: string }>`
      select distinct hash from message_image`.execute(inside);
    const needed = new Set(kept.rows.map(({ hash }) => hash));
    const hashes = had.rows.flatMap(({ hash }) => (needed.has(hash) ? [] : [hash]));
    return { ids: ids.map(({ id }) => id), hashes };
  });
  for (const hash of removed.hashes) await images.remove(hash);
  if (removed.ids.length > 0) await forget(ground);
  return removed.ids;
}

/** Leaves nothing in the files of what was deleted, nor in their copies. */
async function forget(ground: ChatGround): Promise<void> {
  try {
    await ground.forgetWith(async () => await overwrite(ground));
  } catch (error) {
    if (!(error instanceof StoreError) && systemCode(error) === null) throw error;
    tellOfTraces(ground.host, error instanceof Error ? error.message : '');
  }
}

async function overwrite({ store: { db }, host }: ChatGround): Promise<void> {
  // The index keeps the words of what is gone beside a note that they are, and merging it does not surely drop both.
  for (const words of ['message_word', 'conversation_word']) {
    const index = sql.ref(words);
    await sql`insert into ${index} (${index}) values ('rebuild')`.execute(db);
  }
  // Overwriting alone is not enough: where SQLite moved rows from page to page, copies stay behind in the gaps.
  await sql`vacuum`.execute(db);
  const { rows } = await sql<{ readonly busy: number }>`
    pragma wal_checkpoint(truncate)`.execute(db);
  if (rows[0]?.busy !== 0) tellOfTraces(host, 'Another process reads the file.');
}

function tellOfTraces({ log }: ChatGround['host'], reason: string): void {
  log('warn', 'Some of what was deleted stays in the files of the chat for now.', { reason });
}
