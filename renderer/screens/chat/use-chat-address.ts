import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { ConversationId, MessageId } from '../../../shared/chat.ts';

interface ChatAddress {
  readonly chosen: ConversationId | undefined;
  /** The message to scroll to. */
  readonly at: MessageId | undefined;
  readonly choose: (id: ConversationId, at?: MessageId) => void;
  /** Replaces the URL of the new conversation by that of the one it became. */
  readonly onStarted: (id: ConversationId) => void;
  readonly startNew: () => void;
}

/** Keeps the open conversation in the URL: it survives a reload. */
export function useChatAddress(): ChatAddress {
  const { c, at } = useSearch({ from: '/chat' });
  const navigate = useNavigate({ from: '/chat' });
  return {
    chosen: c,
    at,
    choose: useCallback(
      (id, message) =>
        void navigate({ search: message === undefined ? { c: id } : { c: id, at: message } }),
      [navigate],
    ),
    onStarted: useCallback((id) => void navigate({ search: { c: id }, replace: true }), [navigate]),
    startNew: useCallback(() => void navigate({ search: {} }), [navigate]),
  };
}
