import { Button } from '@mantine/core';
import type { ChatMessage } from '../../../../../shared/chat.ts';
import { useMessages } from '../../store/use-conversation-store.ts';
import classes from './answer.module.css';
import { useThread } from '../thread-context.ts';
import { findSetting } from './problem-text.ts';

/** When an answer came only without a parameter, offers to leave that out from now on. */
export function DropParameterOffer({ message }: { readonly message: ChatMessage }) {
  const { chat, actions, conversation } = useThread();
  const suspect = useMessages(chat, message.siblings)
    .flatMap((sibling) => sibling?.answer?.problem?.suspects ?? [])
    .map(findSetting)
    .find((setting) => setting !== null && conversation.settings[setting.setting] !== null);
  if (suspect === undefined || suspect === null) return null;
  return (
    <div className={classes['offer']}>
      Without {suspect.words} it worked.
      <Button
        size="compact-xs"
        variant="light"
        onClick={() => actions.setSettings({ [suspect.setting]: null })}
      >
        Leave {suspect.words} out from now on
      </Button>
    </div>
  );
}
