import type {
  ChatEvent,
  ChatMessage,
  ConversationId,
  MessageId,
  Said,
  SnippetLanguage,
  TextProtocol,
} from '../../shared/chat.ts';
import type { History } from '../history/history.ts';
import type { Host } from '../host.ts';
import type { Conversations } from './conversations.ts';

export type { Conversations } from './conversations.ts';
export { openConversations } from './conversations.ts';

/** Which lane of which conversation. */
export interface LaneAsked {
  readonly id: ConversationId;
  readonly lane: number;
}

export interface SendAsked {
  readonly id: ConversationId;
  readonly said: Said;
  /** Messages of a person that this is another wording of; then only lanes that show one of them ask again. */
  readonly instead: readonly MessageId[];
}

export interface RetryAsked {
  readonly id: ConversationId;
  readonly message: MessageId;
  /** Those of the answer it stands beside, unless given. */
  readonly model?: string | undefined;
  readonly protocol?: TextProtocol | undefined;
  /** With only model and messages (spec section 4.2). */
  readonly plain: boolean;
}

/** The conversations, and the answers on their way. An answer belongs to the engine: it goes on when its window is closed. */
export interface Chat {
  readonly conversations: Conversations;
  /** @throws Refused, NotFound */
  send(asked: SendAsked): Promise<ChatMessage[]>;
  /** @throws Refused, NotFound */
  retry(asked: RetryAsked): Promise<ChatMessage>;
  stop(message: MessageId): Promise<void>;
  /** Stops what runs in it and deletes it for good. @throws NotFound */
  remove(id: ConversationId): Promise<void>;
  /** The same for all of them. Resolves with how many. */
  erase(): Promise<number>;
  /** Ends when the signal aborts, or when the conversation is removed. @throws NotFound */
  follow(
    id: ConversationId,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ChatEvent, void, void>;
  protocolOf(model: string): Promise<TextProtocol>;
  /** @throws NotFound, Refused when there is nothing to send yet */
  snippet(asked: LaneAsked & { readonly language: SnippetLanguage }): Promise<string>;
  /** Whether an answer of it is on its way. */
  runs(id: ConversationId): boolean;
  /** Called when a conversation came, went or changed, at most four times a second. Returns what stops it. */
  on(listener: () => void): () => void;
  /** Gives answers on their way up to `drainMs`, then stops them; all is kept. */
  close(drainMs: number): Promise<void>;
}

export interface ChatOptions {
  readonly conversations: Conversations;
  readonly host: Host;
  readonly history: Pick<History, 'get' | 'page'>;
  /** Of the proxy, now. */
  readonly port: () => number;
  /** Of the client "Chat". */
  readonly localKey: string;
}

const later = (): never => {
  throw new Error('Not built yet.');
};

/** Opens the chat on a running proxy. What an earlier run left unfinished is marked as broken. */
export async function openChat({ conversations }: ChatOptions): Promise<Chat> {
  return {
    conversations,
    send: later,
    retry: later,
    stop: later,
    remove: later,
    erase: later,
    follow: later,
    protocolOf: later,
    snippet: later,
    runs: () => false,
    on: () => () => undefined,
    close: async () => undefined,
  };
}
