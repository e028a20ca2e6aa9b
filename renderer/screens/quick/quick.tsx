import { VisuallyHidden } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMemo } from 'react';
import { ConnectionNotice } from '../../frame/connection-notice.tsx';
import { PauseNotice } from '../../frame/pause-notice.tsx';
import { useFresh } from '../chat/head/use-fresh.ts';
import { Talk } from '../chat/talk.tsx';
import { useChatKeys } from '../chat/use-chat-keys.ts';
import { useChatState, useOpenChats, useRunningAnswers } from '../chat/use-open-chat.ts';
import classes from './quick.module.css';
import { QuickBar } from './quick-bar.tsx';
import { useQuickAddress } from './use-quick-address.ts';
import { useQuickWindow } from './use-quick-window.ts';

/** A conversation alone, in the small window of the app. */
export function Quick() {
  const { chosen, begun, startNew } = useQuickAddress();
  const { fresh: usual, setFresh } = useFresh();
  // There is room for one answer.
  const fresh = useMemo(() => ({ ...usual, lanes: usual.lanes.slice(0, 1) }), [usual]);
  const open = useOpenChats();
  const chat = chosen === undefined ? null : open(chosen);
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
        fresh={fresh}
        onFresh={setFresh}
        onNew={startNew}
      />
      <Talk
        chat={chat}
        state={state}
        fresh={fresh}
        onFresh={setFresh}
        open={open}
        onBegun={begun}
        draft="quick"
      />
    </main>
  );
}
