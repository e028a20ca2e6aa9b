import { Button } from '@mantine/core';
import type { ChatMessage } from '../../../../shared/chat.ts';
import { useMessages } from '../use-open-chat.ts';
import classes from './answer.module.css';
import { useThread } from './in-thread.ts';
import { settingOf } from './problem-words.ts';

/** When an answer came only without a parameter, offers to leave that out from now on. */
export function LeaveOut({ message }: { readonly message: ChatMessage }) {
  const { chat, acts, conversation } = useThread();
  const suspect = useMessages(chat, message.siblings)
    .flatMap((sibling) => sibling?.answer?.problem?.suspects ?? [])
    .map(settingOf)
    .find((setting) => setting !== null && conversation.settings[setting.setting] !== null);
  if (suspect === undefined || suspect === null) return null;
  return (
    <div className={classes['offer']}>
      Without {suspect.words} it worked.
      <Button
        size="compact-xs"
        variant="light"
        onClick={() => acts.setSettings({ [suspect.setting]: null })}
      >
        Leave {suspect.words} out from now on
      </Button>
    </div>
  );
}
