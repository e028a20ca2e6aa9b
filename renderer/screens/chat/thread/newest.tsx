import { Button, VisuallyHidden } from '@mantine/core';
import { IconArrowDown } from '@tabler/icons-react';
import type { OpenChat } from '../open-chat.ts';
import { useRunningAnswers } from '../use-open-chat.ts';
import answer from './answer.module.css';
import classes from './thread.module.css';

interface NewestProps {
  readonly chat: OpenChat;
  readonly onGo: () => void;
}

/** The way back to the end, for whoever reads further up; it shows when something is going on there. */
export function Newest({ chat, onGo }: NewestProps) {
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
            <VisuallyHidden>, an answer is on its way</VisuallyHidden>
          </>
        )}
      </Button>
    </div>
  );
}
