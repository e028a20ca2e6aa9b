import { type RawBuilder, sql } from 'kysely';
import type { ConversationId } from '../../../shared/chat/chat.ts';
import { systemCode } from '../../lib/disk.ts';
import { StoreError } from '../../store/store.ts';
import type { ChatDeps } from './deps.ts';
import { findConversation } from './message-tree.ts';

/** Deletes a conversation for good. @throws NotFoundError */
export async function deleteConversation(deps: ChatDeps, id: ConversationId): Promise<void> {
  await deps.mutex.runExclusive(async () => {
    const { seq } = await findConversation(deps.store.db, id);
    await deleteWhere(deps, sql<boolean>`conversation.seq = ${seq}`);
  });
}

/** Deletes all conversations for good, with every image. Resolves with their ids. */
export async function deleteAllConversations(deps: ChatDeps): Promise<readonly ConversationId[]> {
  return await deps.mutex.runExclusive(async () => {
    const erased = await deleteWhere(deps, sql<boolean>`1`);
    await deps.images.removeAll();
    return erased;
  });
}

/** Removes images that were added a week ago or earlier and that no message uses. */
export async function removeUnusedImages({ store, images, mutex }: ChatDeps): Promise<void> {
  await mutex.runExclusive(async () => {
    const used = await store.db.selectFrom('message_image').select('hash').distinct().execute();
    await images.removeUnused(new Set(used.map(({ hash }) => hash)));
  });
}

async function deleteWhere(
  deps: ChatDeps,
  condition: RawBuilder<boolean>,
): Promise<readonly ConversationId[]> {
  const { store, images } = deps;
  const removed = await store.db.transaction().execute(async (trx) => {
    const imagesBefore = await sql<{
      readonly hash: string;
    }>`select distinct hash from message_image
      join message on message.seq = message_image.message
      join conversation on conversation.seq = message.conversation
      where ${condition}`.execute(trx);
    const ids = await trx.deleteFrom('conversation').where(condition).returning('id').execute();
    const imagesAfter = await sql<{ readonly hash: string }>`
      select distinct hash from message_image`.execute(trx);
    const needed = new Set(imagesAfter.rows.map(({ hash }) => hash));
    const hashes = imagesBefore.rows.flatMap(({ hash }) => (needed.has(hash) ? [] : [hash]));
    return { ids: ids.map(({ id }) => id), hashes };
  });
  for (const hash of removed.hashes) await images.remove(hash);
  if (removed.ids.length > 0) await purgeTraces(deps);
  return removed.ids;
}

/** Erases deleted data from the files and from their copies. */
async function purgeTraces(deps: ChatDeps): Promise<void> {
  try {
    await deps.purgeWith(async () => await rewriteFiles(deps));
  } catch (error) {
    if (!(error instanceof StoreError) && systemCode(error) === null) throw error;
    logTraces(deps.host, error instanceof Error ? error.message : '');
  }
}

async function rewriteFiles({ store: { db }, host }: ChatDeps): Promise<void> {
  // The index keeps deleted words beside a deletion marker, and merging it does not always drop both.
  for (const wordTable of ['message_word', 'conversation_word']) {
    const index = sql.ref(wordTable);
    await sql`insert into ${index} (${index}) values ('rebuild')`.execute(db);
  }
  // Overwriting alone is not enough: where SQLite moved rows between pages, copies remain in the gaps.
  await sql`vacuum`.execute(db);
  const { rows } = await sql<{ readonly busy: number }>`
    pragma wal_checkpoint(truncate)`.execute(db);
  if (rows[0]?.busy !== 0) logTraces(host, 'Another process reads the file.');
}

function logTraces({ log }: ChatDeps['host'], reason: string): void {
  log('warn', 'Traces of deleted messages remain in the files of the chat for now.', { reason });
}
