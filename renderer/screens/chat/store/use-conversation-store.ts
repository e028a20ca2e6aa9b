import { startTransition, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import { type ChatMessage, type ConversationId, MessageId } from '../../../../shared/chat.ts';
import { type Calls, useCalls } from '../../../api/client.ts';
import { whenIdle } from '../../../hooks/when-idle.ts';
import { type ChatState, ConversationStore } from './conversation-store.ts';

/** Conversations that were shown lately are there again at once. */
const MAX_OPEN = 6;
const NONE: readonly MessageId[] = [];
const LOADING: ChatState = { kind: 'loading' };
const noop = (): (() => void) => () => undefined;

/** The conversations that this screen has opened. */
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

/** How the conversation stands, which is followed as long as it is on screen. `null` stays `null`. */
export function useChatState(chat: ConversationStore | null): ChatState | null {
  useEffect(() => chat?.follow(), [chat]);
  const state = useSyncExternalStore(chat?.onState ?? noop, chat?.state ?? (() => LOADING));
  return chat === null ? null : state;
}

/** The answers on their way at the ends of the conversation's lanes. */
export function useRunningAnswers(chat: ConversationStore | null): readonly MessageId[] {
  return useSyncExternalStore(chat?.onState ?? noop, chat?.running ?? (() => NONE));
}

/**
 * A message, fetched when it is not here yet; for another one, mount anew (`key`). What comes of an answer is drawn when the page has time
 * for it, and nothing newer until that is done: drawing that is begun anew with every piece of a fast answer would never be done.
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

/** Whether all of these messages are here. They are fetched when they are not. */
export function useAreLoaded(chat: ConversationStore, ids: readonly MessageId[]): boolean {
  const messages = useWatched(chat, ids);
  return useSyncExternalStore(messages.subscribe, () => !messages.now().includes(undefined));
}

/** Several messages, in the order asked for. */
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
