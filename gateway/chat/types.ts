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
} from '../../shared/chat.ts';
import type { Images } from '../images/images.ts';

export interface ConversationsQuery {
  readonly find: string;
  readonly limit: number;
  readonly before?: ConversationCursor | undefined;
}

/** What is put at the end of one lane, or elsewhere in it: a saying (`null` for another answer to what was said) and the answer to it. */
export interface NewTurn {
  readonly lane: number;
  /** What the saying follows, or, without one, what the answer answers. */
  readonly parent: MessageId | null;
  readonly content: UserMessage | null;
  readonly answer: LaneModel & { readonly protocol: TextProtocol; readonly plain: boolean };
}

/** What of an answer may change while it comes. */
export type AnswerContent = Pick<ChatMessage, 'text' | 'reasoning'> & { readonly answer: Answer };

/** The conversations of a data folder, as they are kept. Every change is one transaction. */
export interface Conversations {
  /** `running` is for whoever knows. */
  page(query: ConversationsQuery): Promise<ConversationPage>;
  add(conversation: NewConversation): Promise<Conversation>;
  /** @throws NotFoundError */
  get(id: ConversationId): Promise<Conversation>;
  /** @throws NotFoundError */
  open(id: ConversationId): Promise<OpenConversation>;
  /** @throws NotFoundError, UserError */
  change(id: ConversationId, change: ConversationChange): Promise<Conversation>;
  /** In the order asked for; those that are gone are left out. */
  messages(ids: readonly MessageId[]): Promise<ChatMessage[]>;
  /** Everything from the beginning to this message, whole. @throws NotFoundError */
  pathTo(message: MessageId): Promise<ChatMessage[]>;
  /**
   * Adds the turns and takes their lanes there. Lanes that say the same after the same message share it. Gives the answers, `waiting`, in
   * the order of the turns. @throws NotFoundError, UserError when an image is gone
   */
  addTurns(id: ConversationId, turns: readonly NewTurn[]): Promise<ChatMessage[]>;
  /** Keeps an answer as it is now. Nothing happens when it is gone. */
  saveAnswer(message: MessageId, content: AnswerContent): Promise<void>;
  /** Takes a lane to the newest branch through a message. @throws NotFoundError */
  selectBranch(id: ConversationId, lane: number, message: MessageId): Promise<Conversation>;
  /** The text of a file, piece by piece. @throws NotFoundError */
  export(id: ConversationId, format: 'markdown' | 'json'): AsyncGenerator<string, void, void>;
  /**
   * Deletes it for good: rows, search words, images that no other needs. Nothing of it is left in the files then, unless another process
   * is reading them just now or the disk is full: what is left goes with the next deletion, or when Gatehouse ends. @throws NotFoundError
   */
  remove(id: ConversationId): Promise<void>;
  /** The same for all of them, and for images that nothing was said with yet. Resolves with how many. */
  erase(): Promise<number>;
  /** Turns every answer that an earlier run left on its way into a broken one, with this problem. */
  markInterrupted(problem: ChatProblem): Promise<void>;
  /** Called after every change but `saveAnswer`, with the conversation, which may be gone. Returns what stops it. */
  on(listener: (id: ConversationId) => void): () => void;
  /** Those of messages, and those that are about to be. */
  readonly images: Images;
}

/** Which lane of which conversation. */
export interface LaneQuery {
  readonly id: ConversationId;
  readonly lane: number;
}

export interface SendRequest {
  readonly id: ConversationId;
  readonly content: UserMessage;
  /** Messages of a person that this is another wording of; then only lanes that show one of them ask again. */
  readonly replaces: readonly MessageId[];
  /** Where the lanes stood when it was said; elsewhere by now, it is refused. */
  readonly expectedHeads?: readonly (MessageId | null)[] | undefined;
}

export interface RetryRequest {
  readonly id: ConversationId;
  readonly message: MessageId;
  /** Those of the answer it stands beside, unless given. */
  readonly model?: string | undefined;
  readonly protocol?: TextProtocol | undefined;
  /** With only model and messages (spec section 4.2). */
  readonly plain: boolean;
}
