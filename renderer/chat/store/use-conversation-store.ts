import { startTransition, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { type ChatMessage, type ConversationId, MessageId } from '../../../shared/chat/chat.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { whenIdle } from '../../hooks/when-idle.ts';
import { type ChatState, ConversationStore } from './conversation-store.ts';

/** Number of recently shown conversations that stay in memory. */
const MAX_OPEN = 6;
const NONE: readonly MessageId[] = [];
const LOADING: ChatState = { kind: 'loading' };
const noop = (): (() => void) => () => undefined;

/** Returns the store of a conversation, the same one while it is among the recently opened. */
export type GetConversation = (id: ConversationId) => ConversationStore;

/** Opens conversations for a screen, each once. */
export function useConversationStores(): GetConversation {
  const calls = useCalls();
  return useMemo(() => createStoreCache(calls.chat), [calls]);
}

function createStoreCache(calls: Calls['chat']): GetConversation {
  const opened = new Map<ConversationId, ConversationStore>();
  return (id) => {
    const chat = opened.get(id) ?? new ConversationStore(calls, id);
    opened.delete(id);
    opened.set(id, chat);
    const [oldest] = opened.keys();
    if (opened.size > MAX_OPEN && oldest !== undefined) opened.delete(oldest);
    return chat;
  };
}

/** Returns the state of a conversation, followed while the component is mounted. `null` stays `null`. */
export function useChatState(chat: ConversationStore | null): ChatState | null {
  useEffect(() => chat?.follow(), [chat]);
  const state = useSyncExternalStore(chat?.onState ?? noop, chat?.state ?? (() => LOADING));
  return chat === null ? null : state;
}

/** Returns the answers in progress at the ends of the conversation's lanes. */
export function useRunningAnswers(chat: ConversationStore | null): readonly MessageId[] {
  return useSyncExternalStore(chat?.onState ?? noop, chat?.running ?? (() => NONE));
}

/**
 * Returns a message, fetched when it is not loaded; remount (`key`) for another one. New text of an answer renders at
 * low priority, and newer text waits until that render is done: restarting it with every chunk of a fast answer would
 * never finish.
 */
export function useMessage(chat: ConversationStore, id: MessageId): ChatMessage | undefined {
  const [message, setMessage] = useState(() => chat.message(id));
  useEffect(() => {
    let cancel: (() => void) | null = null;
    const show = (): void => {
      if (chat.message(id) === message) return;
      cancel ??= whenIdle(() => startTransition(() => setMessage(chat.message(id))));
    };
    show();
    const stop = chat.onMessage(id, show);
    return () => {
      stop();
      cancel?.();
    };
  }, [chat, id, message]);
  return message;
}

/** Whether all of these messages are loaded. Missing ones are fetched. */
export function useAreLoaded(chat: ConversationStore, ids: readonly MessageId[]): boolean {
  const messages = useWatched(chat, ids);
  return useSyncExternalStore(messages.subscribe, () => !messages.now().includes(undefined));
}

/** Returns several messages, in the requested order. */
export function useMessages(
  chat: ConversationStore,
  ids: readonly MessageId[],
): readonly (ChatMessage | undefined)[] {
  const messages = useWatched(chat, ids);
  return useSyncExternalStore(messages.subscribe, messages.now);
}

function useWatched(chat: ConversationStore, ids: readonly MessageId[]) {
  const key = ids.join(' ');
  return useMemo(() => watchMessages(chat, key === '' ? [] : key.split(' ')), [chat, key]);
}

function watchMessages(chat: ConversationStore, names: readonly string[]) {
  const ids = names.map((name) => MessageId.parse(name));
  let last: readonly (ChatMessage | undefined)[] = [];
  return {
    subscribe: (listener: () => void) => {
      const stops = ids.map((id) => chat.onMessage(id, listener));
      return () => {
        for (const stop of stops) stop();
      };
    },
    now: () => {
      const messages = ids.map((id) => chat.message(id));
      const same =
        messages.length === last.length && messages.every((message, at) => message === last[at]);
      if (!same) last = messages;
      return last;
    },
  };
}
