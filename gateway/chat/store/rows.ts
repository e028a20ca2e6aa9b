import { z } from 'zod';
import {
  Answer,
  ChatFile,
  type ChatMessage,
  ChatSettings,
  type Conversation,
  type ConversationId,
  Lane,
  MessageId,
} from '../../../shared/chat/chat.ts';
import { tryParseJson } from '../../lib/json-object.ts';

const Files = z.array(ChatFile);
const Lanes = z.array(Lane);
const Siblings = z.array(MessageId);

/** Stored facts of a conversation. */
export interface ConversationRow {
  readonly id: ConversationId;
  readonly title: string;
  readonly created_at: number;
  readonly changed_at: number;
  readonly settings: string;
  readonly lanes: string;
}

/** A message with its content. */
export interface MessageRow {
  readonly id: MessageId;
  readonly conversation: ConversationId;
  readonly parent: MessageId | null;
  /** Ids as a JSON array. */
  readonly siblings: string;
  readonly created_at: number;
  readonly text: string;
  readonly reasoning: string;
  readonly files: string;
  readonly answer: string | null;
}

export function toConversation(row: ConversationRow): Conversation {
  return {
    id: row.id,
    title: row.title,
    createdAt: row.created_at,
    changedAt: row.changed_at,
    settings: ChatSettings.parse(JSON.parse(row.settings)),
    lanes: parseLanes(row),
  };
}

/** Returns whether the lanes of a row are valid. */
export function hasReadableLanes({ lanes }: Pick<ConversationRow, 'lanes'>): boolean {
  return Lanes.safeParse(tryParseJson(lanes)).success;
}

export function parseLanes({ lanes }: Pick<ConversationRow, 'lanes'>): Lane[] {
  return Lanes.parse(JSON.parse(lanes));
}

export function toMessage(row: MessageRow): ChatMessage {
  return {
    id: row.id,
    conversation: row.conversation,
    parent: row.parent,
    siblings: Siblings.parse(JSON.parse(row.siblings)),
    createdAt: row.created_at,
    text: row.text,
    reasoning: row.reasoning,
    files: Files.parse(JSON.parse(row.files)),
    answer: row.answer === null ? null : parseAnswer(row.answer),
  };
}

export function parseAnswer(json: string): Answer {
  return Answer.parse(JSON.parse(json));
}
