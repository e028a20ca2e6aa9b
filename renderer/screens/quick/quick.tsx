import { VisuallyHidden } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo } from 'react';
import type { ConversationId } from '../../../shared/chat/chat.ts';
import { ConnectionNotice } from '../../layout/connection-notice.tsx';
import { PauseNotice } from '../../layout/pause-notice.tsx';
import { useNewConversation } from '../../chat/use-new-conversation.ts';
import { ConversationView } from '../../chat/conversation-view.tsx';
import { useChatKeys } from '../../chat/use-chat-keys.ts';
import {
  useChatState,
  useConversationStores,
  useRunningAnswers,
} from '../../chat/store/use-conversation-store.ts';
import classes from './quick.module.css';
import { QuickBar } from './quick-bar.tsx';
import { useQuickWindow } from './use-quick-window.ts';

/** The quick chat: one conversation in the small window of the app. */
export function Quick() {
  const { chosen, onStarted, startNew } = useQuickAddress();
  const { newChat: usual, setNewChat } = useNewConversation();
  // The window has space for one answer only.
  const newChat = useMemo(() => ({ ...usual, lanes: usual.lanes.slice(0, 1) }), [usual]);
  const getStore = useConversationStores();
  const chat = chosen === undefined ? null : getStore(chosen);
  const state = useChatState(chat);
  const running = useRunningAnswers(chat).length > 0;
  const conversation = state?.kind === 'open' ? state.open.conversation : null;
  useChatKeys(startNew);
  const onClickCapture = useQuickWindow({ running, onNew: startNew });
  useDocumentTitle('Quick chat · Gatehouse');
  return (
    <main className={classes['quick']} onClickCapture={onClickCapture}>
      <VisuallyHidden component="h1">Quick chat</VisuallyHidden>
      <ConnectionNotice />
      <PauseNotice />
      <QuickBar
        chosen={chosen}
        conversation={conversation}
        newChat={newChat}
        onNewChat={setNewChat}
        onNew={startNew}
      />
      <ConversationView
        chat={chat}
        state={state}
        newChat={newChat}
        onNewChat={setNewChat}
        getStore={getStore}
        onStarted={onStarted}
        draft="quick"
      />
    </main>
  );
}

interface QuickAddress {
  readonly chosen: ConversationId | undefined;
  readonly onStarted: (id: ConversationId) => void;
  readonly startNew: () => void;
}

/** Keeps the open conversation in the URL: it survives a reload. Earlier conversations stay out of the browser history. */
function useQuickAddress(): QuickAddress {
  const { c } = useSearch({ from: '/quick' });
  const navigate = useNavigate({ from: '/quick' });
  return {
    chosen: c,
    onStarted: useCallback((id) => void navigate({ search: { c: id }, replace: true }), [navigate]),
    startNew: useCallback(() => void navigate({ search: {}, replace: true }), [navigate]),
  };
}
