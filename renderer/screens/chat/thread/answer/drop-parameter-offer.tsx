import { Button } from '@mantine/core';
import type { ChatMessage } from '../../../../../shared/chat.ts';
import { useMessages } from '../../store/use-conversation-store.ts';
import classes from './answer.module.css';
import { useThread } from '../thread-context.ts';
import { findSetting } from './problem-text.ts';

/** Offers to omit a parameter from now on when an answer succeeded only without it. */
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
