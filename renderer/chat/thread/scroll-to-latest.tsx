import { Button, VisuallyHidden } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import type { ConversationStore } from '../store/conversation-store.ts';
import { useRunningAnswers } from '../store/use-conversation-store.ts';
import answer from './answer/answer.module.css';
import classes from './thread.module.css';

interface ScrollToLatestProps {
  readonly chat: ConversationStore;
  readonly onGo: () => void;
}

/** A button that scrolls to the end; shown when the reader is further up and something is in progress there. */
export function ScrollToLatest({ chat, onGo }: ScrollToLatestProps) {
  const running = useRunningAnswers(chat).length > 0;
  return (
    <div className={classes['newest']}>
      <Button
        size="compact-sm"
        radius="xl"
        variant="default"
        leftSection={<IconArrowDown size={14} aria-hidden />}
        onClick={onGo}
      >
        Newest
        {running && (
          <>
            <span className={answer['dots']} aria-hidden>
              <i />
              <i />
              <i />
            </span>
            <VisuallyHidden>, an answer is in progress</VisuallyHidden>
          </>
        )}
      </Button>
    </div>
  );
}
