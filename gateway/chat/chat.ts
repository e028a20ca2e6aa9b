import type { LaneQuery, SendRequest, RetryRequest, Conversations } from './types.ts';
import {
  type ChatEvent,
  type ChatMessage,
  type Conversation,
  type ConversationChange,
  type ConversationId,
  type MessageId,
  type SnippetLanguage,
  TextProtocol,
} from '../../shared/chat/chat.ts';
import { ANSWERED } from '../../shared/history/history.ts';
import { toPattern } from '../../shared/name-pattern.ts';
import type { History } from '../history/history.ts';
import type { Host } from '../host.ts';
import { Emitter } from '../lib/emitter.ts';
import { Throttle } from '../lib/throttle.ts';
import { ConversationFeed } from './conversation-feed.ts';

import { INTERRUPTED } from './turn/problem.ts';
import { type DraftedMessage, estimateMessage, type LaneSize } from './estimate-message.ts';
import { createLaneSnippet } from './export/lane-snippet.ts';
import { ActiveTurns } from './turn/active-turns.ts';

export type {
  AnswerContent,
  Conversations,
  LaneQuery,
  NewTurn,
  RetryRequest,
  SendRequest,
} from './types.ts';
export type { LaneSize } from './estimate-message.ts';
export { askOnce, type OneAnswer } from './ask-once.ts';
export { openConversations } from './conversations.ts';

/** Manages the conversations and the running answers. An answer belongs to the engine: it continues when its window is closed. */
export interface Chat {
  readonly conversations: Conversations;
  /** @throws UserError, NotFoundError */
  send(request: SendRequest): Promise<ChatMessage[]>;
  /** @throws UserError, NotFoundError */
  retry(request: RetryRequest): Promise<ChatMessage>;
  /** @throws NotFoundError */
  change(id: ConversationId, change: ConversationChange): Promise<Conversation>;
  stop(message: MessageId): Promise<void>;
  /** Stops the running answers of a conversation and deletes it for good. @throws NotFoundError */
  remove(id: ConversationId): Promise<void>;
  /** Stops all running answers and deletes all conversations for good. Resolves with their number. */
  erase(): Promise<number>;
  /** Streams events of a conversation. Ends when the signal aborts, or when the conversation is removed. @throws NotFoundError */
  follow(
    id: ConversationId,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<ChatEvent, void, void>;
  findProtocol(model: string): Promise<TextProtocol>;
  /** Estimates what the answers to a message cost together, in millionths of the currency; `null` when it is not known. */
  estimate(message: DraftedMessage): Promise<number | null>;
  /** @throws NotFoundError, UserError when there is nothing to send yet */
  snippet(request: LaneQuery & { readonly language: SnippetLanguage }): Promise<string>;
  /** Returns whether an answer of the conversation is running. */
  isRunning(id: ConversationId): boolean;
  /**
   * Calls the listener when a conversation was added, removed or changed, at most four times a second. Returns a function that
   * removes it.
   */
  on(listener: () => void): () => void;
  /** Waits up to `drainMs` for running answers, then stops them; all text is saved. */
  close(drainMs: number): Promise<void>;
}

export interface ChatOptions {
  readonly conversations: Conversations;
  readonly host: Host;
  readonly history: Pick<History, 'get' | 'page' | 'on'>;
  /** Returns the current port of the proxy. */
  readonly port: () => number;
  /** Local key of the client "Chat". */
  readonly localKey: string;
  /** Returns the `<vendor>` of the version header of the service in use (spec section 9). */
  readonly vendor: () => string;
  /** Returns the service keys, which are masked in answers. */
  readonly secrets: () => readonly string[];
  readonly redact: (text: string) => string;
  /** Estimates what a request of this size costs, in millionths of the currency; `null` when it is not known. */
  readonly costOf: (size: LaneSize) => number | null;
}

/** Opens the chat on a running proxy. Marks answers that an earlier run left unfinished as broken. */
export async function openChat(options: ChatOptions): Promise<Chat> {
  const { conversations, history, host, port, localKey, vendor, secrets, redact } = options;
  await conversations.markInterrupted(INTERRUPTED);
  const listeners = new Emitter();
  const throttle = new Throttle(() => listeners.emit());
  const feed: ConversationFeed = new ConversationFeed({
    running: (id) => turns.running(id),
    laneHeads: (id) => readLaneHeads(conversations, id),
  });
  const findProtocol = (model: string) => findLatestProtocol(history, model);
  const turns = new ActiveTurns({
    conversations,
    deps: { history, port, localKey, vendor, secrets, redact, log: host.log },
    findProtocol,
    publish: (id, event) => feed.publish(id, event),
    onRunning: () => throttle.trigger(),
  });
  /** Conversations being removed, for which only the removal is emitted. */
  const removals = new Set<ConversationId | 'all'>();
  const stop = conversations.on((id) => {
    if (!removals.has(id) && !removals.has('all')) feed.publish(id, { kind: 'changed' });
    throttle.trigger();
  });
  const removeQuietly = <Value>(what: ConversationId | 'all', work: () => Promise<Value>) =>
    turns.stopAndRun(what, async () => {
      removals.add(what);
      return await work().finally(() => removals.delete(what));
    });
  return {
    conversations,
    send: (request) => turns.send(request),
    retry: (request) => turns.retry(request),
    change: (id, change) => turns.change(id, change),
    stop: (message) => turns.stop(message),
    remove: async (id) => {
      await conversations.get(id);
      await removeQuietly(id, () => conversations.remove(id));
      feed.publish(id, { kind: 'removed' });
    },
    erase: async () => {
      const erased = await removeQuietly('all', () => conversations.erase());
      feed.publishAllRemoved();
      return erased;
    },
    follow: (id, signal) => feed.follow(id, signal),
    findProtocol,
    estimate: (message) => estimateMessage(message, options),
    snippet: (request) => createLaneSnippet(request, { conversations, findProtocol, port, vendor }),
    isRunning: (id) => turns.running(id).length > 0,
    on: (listener) => listeners.on(listener),
    close: async (drainMs) => {
      await turns.close(drainMs);
      stop();
      throttle.close();
    },
  };
}

/** Reads the latest message of each lane of a conversation. */
async function readLaneHeads(
  conversations: Conversations,
  id: ConversationId,
): Promise<ChatMessage[]> {
  const { lanes } = await conversations.get(id);
  const heads = lanes.flatMap(({ at }) => (at === null ? [] : [at]));
  return heads.length === 0 ? [] : await conversations.messages([...new Set(heads)]);
}

const ROUTES = [...TextProtocol.options];

/** Returns the protocol of a model's latest answer, to any client; Chat Completions when there is none. */
async function findLatestProtocol(
  history: Pick<History, 'page'>,
  model: string,
): Promise<TextProtocol> {
  const filter = { models: [toPattern(model)], routes: ROUTES, ...ANSWERED };
  const { exchanges } = await history.page({ filter, limit: 1 });
  return TextProtocol.safeParse(exchanges[0]?.route).data ?? 'chat';
}
