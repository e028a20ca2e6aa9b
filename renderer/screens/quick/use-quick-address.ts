import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { ConversationId } from '../../../shared/chat.ts';

interface QuickAddress {
  readonly chosen: ConversationId | undefined;
  readonly onStarted: (id: ConversationId) => void;
  readonly startNew: () => void;
}

/** Keeps the open conversation in the URL: it survives a reload. Earlier conversations stay out of the browser history. */
export function useQuickAddress(): QuickAddress {
  const { c } = useSearch({ from: '/quick' });
  const navigate = useNavigate({ from: '/quick' });
  return {
    chosen: c,
    onStarted: useCallback((id) => void navigate({ search: { c: id }, replace: true }), [navigate]),
    startNew: useCallback(() => void navigate({ search: {}, replace: true }), [navigate]),
  };
}
