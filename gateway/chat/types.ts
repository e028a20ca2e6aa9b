import type {
  ConversationCursor,
  MessageId,
  UserMessage,
  LaneModel,
  TextProtocol,
  ChatMessage,
  Answer,
  ConversationPage,
  NewConversation,
  Conversation,
  ConversationId,
  OpenConversation,
  ConversationChange,
  ChatProblem,
} from '../../shared/chat/chat.ts';
import type { Images } from '../images/images.ts';

export interface ConversationsQuery {
  readonly find: string;
  readonly limit: number;
  readonly before?: ConversationCursor | undefined;
}

/**
 * A new message at the end of one lane, or elsewhere in it (`null` for another answer to an existing message), and the answer
 * to it.
 */
export interface NewTurn {
  readonly lane: number;
  /** The message before the new one or, without one, the message to answer. */
  readonly parent: MessageId | null;
  readonly content: UserMessage | null;
  readonly answer: LaneModel & { readonly protocol: TextProtocol; readonly plain: boolean };
}

/** The parts of an answer that change while it arrives. */
export type AnswerContent = Pick<ChatMessage, 'text' | 'reasoning'> & { readonly answer: Answer };

/** The stored conversations of a data folder. Every change is one transaction. */
export interface Conversations {
  /** Reads a page of the list. The caller sets `running`. */
  page(query: ConversationsQuery): Promise<ConversationPage>;
  add(conversation: NewConversation): Promise<Conversation>;
  /** @throws NotFoundError */
  get(id: ConversationId): Promise<Conversation>;
  /** @throws NotFoundError */
  open(id: ConversationId): Promise<OpenConversation>;
  /** @throws NotFoundError, UserError */
  change(id: ConversationId, change: ConversationChange): Promise<Conversation>;
  /** Reads messages in the requested order; omits deleted ones. */
  messages(ids: readonly MessageId[]): Promise<ChatMessage[]>;
  /** Reads the complete path from the first message to this one. @throws NotFoundError */
  pathTo(message: MessageId): Promise<ChatMessage[]>;
  /**
   * Adds the turns and moves their lanes to them. Lanes with the same message after the same parent share it. Resolves with
   * the answers, `waiting`, in the order of the turns.
   * @throws NotFoundError, UserError when an image is missing
   */
  addTurns(id: ConversationId, turns: readonly NewTurn[]): Promise<ChatMessage[]>;
  /** Saves the current state of an answer. Does nothing when it was deleted. */
  saveAnswer(message: MessageId, content: AnswerContent): Promise<void>;
  /** Moves a lane to the newest branch through a message. @throws NotFoundError */
  selectBranch(id: ConversationId, lane: number, message: MessageId): Promise<Conversation>;
  /** Exports a conversation as chunks of text. @throws NotFoundError */
  export(id: ConversationId, format: 'markdown' | 'json'): AsyncGenerator<string, void, void>;
  /**
   * Deletes a conversation for good: rows, search words, unshared images. Its data is then erased from the files, unless
   * another process is reading them or the disk is full: the rest is erased with the next deletion, or when Gatehouse quits.
   * @throws NotFoundError
   */
  remove(id: ConversationId): Promise<void>;
  /** Deletes all conversations for good, and images that no message uses yet. Resolves with their number. */
  erase(): Promise<number>;
  /** Marks every answer that an earlier run left unfinished as broken, with this problem. */
  markInterrupted(problem: ChatProblem): Promise<void>;
  /**
   * Calls the listener after every change but `saveAnswer`, with the conversation, which may have been deleted. Returns a
   * function that removes it.
   */
  on(listener: (id: ConversationId) => void): () => void;
  /** Images of messages, and of messages not sent yet. */
  readonly images: Images;
}

/** Identifies a lane of a conversation. */
export interface LaneQuery {
  readonly id: ConversationId;
  readonly lane: number;
}

export interface SendRequest {
  readonly id: ConversationId;
  readonly content: UserMessage;
  /** Messages of a person that this one replaces; then only lanes that show one of them ask again. */
  readonly replaces: readonly MessageId[];
  /** Heads of the lanes when the message was written; rejected when they have moved. */
  readonly expectedHeads?: readonly (MessageId | null)[] | undefined;
}

export interface RetryRequest {
  readonly id: ConversationId;
  readonly message: MessageId;
  /** Model of the new answer; by default that of the existing one. */
  readonly model?: string | undefined;
  readonly protocol?: TextProtocol | undefined;
  /** Whether to send only model and messages (spec section 4.2). */
  readonly plain: boolean;
}
