import { useMemo } from 'react';
import type { MessageId, OpenConversation } from '../../../../shared/chat.ts';
import type { OpenChat } from '../open-chat.ts';
import type { Acts } from '../use-acts.ts';
import type { Editing } from '../use-editing.ts';
import { Announced } from './announced.tsx';
import { type InThread, ThreadProvider } from './in-thread.ts';
import { rowsOf } from './rows.ts';
import { Scroller } from './scroller.tsx';
import classes from './thread.module.css';

interface ThreadProps {
  readonly chat: OpenChat;
  readonly open: OpenConversation;
  readonly acts: Acts;
  /** The message to go to. */
  readonly at: MessageId | undefined;
  readonly editing: Editing;
  /** Another number leads to the end. */
  readonly sent: number;
}

/** What was said and answered, as every lane shows it. */
export function Thread({ chat, open, acts, at, editing, sent }: ThreadProps) {
  const { conversation, paths } = open;
  const rows = useMemo(() => rowsOf(paths), [paths]);
  const inThread = useMemo<InThread>(() => {
    const shown = new Set(paths.flatMap((path) => path.map(({ id }) => id)));
    return { chat, acts, conversation, editing, shown };
  }, [chat, acts, conversation, paths, editing]);
  return (
    <ThreadProvider value={inThread}>
      <div className={classes['frame']}>
        <Scroller rows={rows} at={at} sent={sent} />
        <Announced chat={chat} />
      </div>
    </ThreadProvider>
  );
}
