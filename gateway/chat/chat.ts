import type {
  ChatEvent,
  ChatMessage,
  Conversation,
  ConversationChange,
  ConversationId,
  MessageId,
  Said,
  SnippetLanguage,
  TextProtocol,
} from '../../shared/chat.ts';
import type { History } from '../history/history.ts';
import type { Host } from '../host.ts';
import { Listeners } from '../listeners.ts';
import { OftenEnough } from '../often-enough.ts';
import { Audience } from './audience.ts';
import type { Conversations } from './conversations.ts';
import { latestProtocol } from './latest-protocol.ts';
import { LEFT } from './problem.ts';
import { snippetFor } from './snippet-for.ts';
import { Turns } from './turns.ts';

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
  /** Where the lanes stood when it was said; elsewhere by now, it is refused. */
  readonly ends?: readonly (MessageId | null)[] | undefined;
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
  /** @throws NotFound */
  change(id: ConversationId, change: ConversationChange): Promise<Conversation>;
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
  readonly history: Pick<History, 'get' | 'page' | 'on'>;
  /** Of the proxy, now. */
  readonly port: () => number;
  /** Of the client "Chat". */
  readonly localKey: string;
  /** The `<vendor>` of the version header of the service in use (spec section 9). */
  readonly vendor: () => string;
  /** Service keys: no answer that repeats one is passed on as it is. */
  readonly secrets: () => readonly string[];
  readonly redact: (text: string) => string;
}

/** Opens the chat on a running proxy. What an earlier run left unfinished is marked as broken. */
export async function openChat(options: ChatOptions): Promise<Chat> {
  const { conversations, history, host, port, localKey, vendor, secrets, redact } = options;
  await conversations.breakLeft(LEFT);
  const listeners = new Listeners();
  const often = new OftenEnough(() => listeners.tell());
  const audience: Audience = new Audience({
    running: (id) => turns.running(id),
    shown: (id) => shownIn(conversations, id),
  });
  const protocolOf = (model: string) => latestProtocol(history, model);
  const turns = new Turns({
    conversations,
    ground: { history, port, localKey, vendor, secrets, redact, log: host.log },
    protocolOf,
    tell: (id, event) => audience.tell(id, event),
    onRunning: () => often.note(),
  });
  /** Of these only the end is told. */
  const leaving = new Set<ConversationId | 'all'>();
  const stop = conversations.on((id) => {
    if (!leaving.has(id) && !leaving.has('all')) audience.tell(id, { kind: 'changed' });
    often.note();
  });
  const removing = <Value>(what: ConversationId | 'all', work: () => Promise<Value>) =>
    turns.emptied(what, async () => {
      leaving.add(what);
      return await work().finally(() => leaving.delete(what));
    });
  return {
    conversations,
    send: (asked) => turns.send(asked),
    retry: (asked) => turns.retry(asked),
    change: (id, change) => turns.change(id, change),
    stop: (message) => turns.stop(message),
    remove: async (id) => {
      await conversations.get(id);
      await removing(id, () => conversations.remove(id));
      audience.tell(id, { kind: 'removed' });
    },
    erase: async () => {
      const erased = await removing('all', () => conversations.erase());
      audience.tellAllRemoved();
      return erased;
    },
    follow: (id, signal) => audience.follow(id, signal),
    protocolOf,
    snippet: (asked) =>
      snippetFor(asked, { conversations, protocolOf, port: port(), vendor: vendor() }),
    runs: (id) => turns.running(id).length > 0,
    on: (listener) => listeners.add(listener),
    close: async (drainMs) => {
      await turns.close(drainMs);
      stop();
      often.close();
    },
  };
}

/** What the lanes of a conversation have come to. */
async function shownIn(conversations: Conversations, id: ConversationId): Promise<ChatMessage[]> {
  const { lanes } = await conversations.get(id);
  const ends = lanes.flatMap(({ at }) => (at === null ? [] : [at]));
  return ends.length === 0 ? [] : await conversations.messages([...new Set(ends)]);
}
