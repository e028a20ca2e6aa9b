import { createReadStream } from 'node:fs';
import { sql } from 'kysely';
import type { ChatMessage, Conversation, ConversationId, Lane } from '../../shared/chat.ts';
import type { DiskFile } from '../disk.ts';
import type { ChatGround } from './ground.ts';
import { headInMarkdown, laneInMarkdown, messageInMarkdown } from './markdown.ts';
import { conversationOf } from './rows.ts';
import { findConversation, readAll, readPath } from './tree.ts';

/** The text of a file, piece by piece; only one is ever in memory. @throws NotFound */
export async function* exportConversation(
  ground: ChatGround,
  id: ConversationId,
  format: 'markdown' | 'json',
): AsyncGenerator<string, void, void> {
  const row = await findConversation(ground.store.db, id);
  const conversation = conversationOf(row);
  if (format === 'markdown') yield* asMarkdown(ground, conversation);
  else yield* asJson(ground, conversation, row.seq);
}

async function* asMarkdown(
  { store: { db } }: ChatGround,
  conversation: Conversation,
): AsyncGenerator<string, void, void> {
  yield headInMarkdown(conversation);
  for (const lane of conversation.lanes) {
    if (conversation.lanes.length > 1) yield laneInMarkdown(lane);
    for await (const messages of pathOf(lane)) yield messages.map(messageInMarkdown).join('');
  }
  async function* pathOf({ at }: Lane) {
    if (at !== null) yield* readPath(db, at);
  }
}

async function* asJson(
  { store: { db }, images }: ChatGround,
  conversation: Conversation,
  seq: number,
): AsyncGenerator<string, void, void> {
  yield `${JSON.stringify(conversation, null, 2).slice(0, -2)},\n  "messages": [`;
  let separator = '\n';
  for await (const messages of readAll(db, seq)) {
    for (const message of messages) {
      yield `${separator}    ${JSON.stringify(plain(message))}`;
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
    yield `${separator}    ${imageHead(hash, file)}`;
    yield* inBase64(file);
    yield '"}';
    separator = ',\n';
  }
  yield '\n  ]\n}\n';
}

/** Without what follows from the other messages. */
function plain({ siblings: _siblings, conversation: _conversation, ...message }: ChatMessage) {
  return message;
}

function imageHead(hash: string, { name, type, bytes }: DiskFile): string {
  return `${JSON.stringify({ hash, name, type, bytes }).slice(0, -1)},"base64":"`;
}

/** Base64 takes three bytes at a time: what is over waits for the next piece. */
async function* inBase64({ path }: DiskFile): AsyncGenerator<string, void, void> {
  let over: Buffer = Buffer.alloc(0);
  const file: AsyncIterable<Buffer> = createReadStream(path, { highWaterMark: 3 * 2 ** 16 });
  for await (const piece of file) {
    const bytes = Buffer.concat([over, piece]);
    const whole = bytes.length - (bytes.length % 3);
    over = bytes.subarray(whole);
    yield bytes.toString('base64', 0, whole);
  }
  yield over.toString('base64');
}
