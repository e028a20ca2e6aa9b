import { useMemo } from 'react';
import type { MessageId, OpenConversation } from '../../../shared/chat/chat.ts';
import type { ConversationStore } from '../store/conversation-store.ts';
import type { ConversationActions } from '../use-conversation-actions.ts';
import type { Editing } from '../use-editing.ts';
import { LiveAnnouncement } from './live-announcement.tsx';
import { type ThreadValue, ThreadProvider } from './thread-context.ts';
import { toRows } from './rows.ts';
import { Scroller } from './scroller.tsx';
import classes from './thread.module.css';

interface ThreadProps {
  readonly chat: ConversationStore;
  readonly open: OpenConversation;
  readonly actions: ConversationActions;
  /** The message to scroll to. */
  readonly at: MessageId | undefined;
  readonly editing: Editing;
  /** Scrolls to the end whenever it changes. */
  readonly sent: number;
}

/** Shows the messages and answers of every lane. */
export function Thread({ chat, open, actions, at, editing, sent }: ThreadProps) {
  const { conversation, paths } = open;
  const rows = useMemo(() => toRows(paths), [paths]);
  const inThread = useMemo<ThreadValue>(() => {
    const shown = new Set(paths.flatMap((path) => path.map(({ id }) => id)));
    return { chat, actions, conversation, editing, shown };
  }, [chat, actions, conversation, paths, editing]);
  return (
    <ThreadProvider value={inThread}>
      <div className={classes['frame']}>
        <Scroller rows={rows} at={at} sent={sent} />
        <LiveAnnouncement chat={chat} />
      </div>
    </ThreadProvider>
  );
}
