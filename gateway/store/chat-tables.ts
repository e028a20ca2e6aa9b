import type { ColumnType, Generated } from 'kysely';
import type { AnswerState, ConversationId, MessageId } from '../../shared/chat/chat.ts';

/** Tables of the chat database. Times are Unix milliseconds, flags 0 or 1, JSON is text. */
export interface ChatTables {
  readonly conversation: ConversationTable;
  readonly message: MessageTable;
  readonly message_content: MessageContentTable;
  readonly message_image: MessageImageTable;
}

/** A column that is set once and never updated. */
type Fixed<T> = ColumnType<T, T, never>;

/**
 * A conversation. `settings` is a `ChatSettings` as JSON, `lanes` an array of `Lane`; the title is empty until the first
 * message.
 */
export interface ConversationTable {
  readonly seq: Generated<number>;
  readonly id: Fixed<ConversationId>;
  readonly title: string;
  readonly created_at: Fixed<number>;
  readonly changed_at: number;
  readonly settings: string;
  readonly lanes: string;
}

/** A message in the tree of its conversation; `seq` grows in the order they were made, so a parent has a lower one. */
export interface MessageTable {
  readonly seq: Generated<number>;
  readonly id: Fixed<MessageId>;
  /** `seq` of the conversation. */
  readonly conversation: Fixed<number>;
  /** `seq` of the message it follows; `null` for the first. */
  readonly parent: Fixed<number | null>;
  readonly created_at: Fixed<number>;
  /** Model that was asked for an answer; `null` for a person's message. */
  readonly model: Fixed<string | null>;
  readonly state: AnswerState | null;
  /** Length of its text, in UTF-16 units. */
  readonly length: number;
}

/** Content of a message. `files` is an array of `ChatFile` as JSON, `answer` an `Answer`. Deleted with its message. */
export interface MessageContentTable {
  readonly seq: Fixed<number>;
  readonly text: string;
  readonly reasoning: string;
  readonly files: Fixed<string>;
  readonly answer: string | null;
  /** 1 while the answer is unfinished: its words are searchable once it is complete. */
  readonly under_way: number;
}

/** An image of a message. Deleted with its message. */
export interface MessageImageTable {
  readonly hash: Fixed<string>;
  /** `seq` of the message. */
  readonly message: Fixed<number>;
}
