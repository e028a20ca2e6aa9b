import { createReadStream } from 'node:fs';
import { sql } from 'kysely';
import type { ChatMessage, Conversation, ConversationId, Lane } from '../../../shared/chat/chat.ts';
import type { DiskFile } from '../../lib/disk.ts';
import type { ChatDeps } from './deps.ts';
import { formatHeading, formatLane, formatMessage } from '../export/markdown.ts';
import { toConversation } from './rows.ts';
import { findConversation, readAll, readPath } from './message-tree.ts';

/** Exports a conversation as chunks of text; only one is in memory at a time. @throws NotFoundError */
export async function* exportConversation(
  deps: ChatDeps,
  id: ConversationId,
  format: 'markdown' | 'json',
): AsyncGenerator<string, void, void> {
  const row = await findConversation(deps.store.db, id);
  const conversation = toConversation(row);
  if (format === 'markdown') yield* exportMarkdown(deps, conversation);
  else yield* exportJson(deps, conversation, row.seq);
}

async function* exportMarkdown(
  { store: { db } }: ChatDeps,
  conversation: Conversation,
): AsyncGenerator<string, void, void> {
  yield formatHeading(conversation);
  for (const lane of conversation.lanes) {
    if (conversation.lanes.length > 1) yield formatLane(lane);
    for await (const messages of pathOf(lane)) yield messages.map(formatMessage).join('');
  }
  async function* pathOf({ at }: Lane) {
    if (at !== null) yield* readPath(db, at);
  }
}

async function* exportJson(
  { store: { db }, images }: ChatDeps,
  conversation: Conversation,
  seq: number,
): AsyncGenerator<string, void, void> {
  yield `${JSON.stringify(conversation, null, 2).slice(0, -2)},\n  "messages": [`;
  let separator = '\n';
  for await (const messages of readAll(db, seq)) {
    for (const message of messages) {
      yield `${separator}    ${JSON.stringify(toExportedMessage(message))}`;
      separator = ',\n';
    }
  }
  yield '\n  ],\n  "images": [';
  const { rows } = await sql<{ readonly hash: string }>`select distinct hash from message_image
    join message on message.seq = message_image.message
    where message.conversation = ${seq} order by hash`.execute(db);
  separator = '\n';
  for (const { hash } of rows) {
    const file = await images.find(hash);
    if (file === null) continue;
    yield `${separator}    ${formatImageHead(hash, file)}`;
    yield* encodeFile(file);
    yield '"}';
    separator = ',\n';
  }
  yield '\n  ]\n}\n';
}

/** Omits fields that follow from the other messages. */
function toExportedMessage({
  siblings: _siblings,
  conversation: _conversation,
  ...message
}: ChatMessage) {
  return message;
}

function formatImageHead(hash: string, { name, type, bytes }: DiskFile): string {
  return `${JSON.stringify({ hash, name, type, bytes }).slice(0, -1)},"base64":"`;
}

/** Base64 encodes three bytes at a time: remaining bytes are carried over to the next chunk. */
async function* encodeFile({ path }: DiskFile): AsyncGenerator<string, void, void> {
  let rest: Buffer = Buffer.alloc(0);
  const file: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 3 * 2 ** 16 });
  for await (const chunk of file) {
    const bytes = Buffer.concat([rest, chunk]);
    const encodable = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(encodable);
    yield bytes.toString('base64', 0, encodable);
  }
  yield rest.toString('base64');
}
