import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';
import type { ConversationId } from '../../../shared/chat.ts';

interface QuickAddress {
  readonly chosen: ConversationId | undefined;
  readonly begun: (id: ConversationId) => void;
  readonly startNew: () => void;
}

/** The conversation shown lives in the address: it survives a reload. There is no way back to one of before. */
export function useQuickAddress(): QuickAddress {
  const { c } = useSearch({ from: '/quick' });
  const navigate = useNavigate({ from: '/quick' });
  return {
    chosen: c,
    begun: useCallback((id) => void navigate({ search: { c: id }, replace: true }), [navigate]),
    startNew: useCallback(() => void navigate({ search: {}, replace: true }), [navigate]),
  };
}
