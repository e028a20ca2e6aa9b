import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useEffect, useEffectEvent } from 'react';
import type { ConversationId, MessageId } from '../../../shared/chat/chat.ts';

interface ChatAddress {
  /** The model that a link chose for the new conversation. */
  readonly model: string | undefined;
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
  const { c, at, model } = useSearch({ from: '/chat' });
  const navigate = useNavigate({ from: '/chat' });
  return {
    model: c === undefined ? model : undefined,
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

/** Calls `onModel` with the model that the address names for a new conversation, and takes it out of the address. */
export function useModelInAddress(onModel: (model: string) => void): void {
  const { model } = useSearch({ from: '/chat' });
  const navigate = useNavigate({ from: '/chat' });
  const choose = useEffectEvent(onModel);
  useEffect(() => {
    if (model === undefined) return;
    choose(model);
    void navigate({ search: {}, replace: true });
  }, [model, navigate]);
}
