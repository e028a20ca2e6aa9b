import { ActionIcon, Group, Tooltip } from '@mantine/core';
import { IconArrowsDiagonal, IconPlus } from '@tabler/icons-react';
import { createLink } from '@tanstack/react-router';
import type { Conversation, ConversationId, NewConversation } from '../../../shared/chat/chat.ts';
import { MOD_KEY } from '../../hooks/keyboard/mod-key.ts';
import { rememberModelChoice } from '../../chat/model-picker/model-choices.ts';
import { ModelPicker } from '../../chat/model-picker/model-picker.tsx';
import { useModelAndSettings } from '../../chat/use-model-and-settings.ts';
import classes from './quick.module.css';

interface QuickBarProps {
  readonly chosen: ConversationId | undefined;
  /** `null` for a conversation that is new or not loaded yet. */
  readonly conversation: Conversation | null;
  readonly newChat: NewConversation;
  readonly onNewChat: (newChat: NewConversation) => void;
  readonly onNew: () => void;
}

const IconLink = createLink(ActionIcon<'a'>);

/** Shows the model, and the buttons that leave this conversation. */
export function QuickBar({ chosen, conversation, newChat, onNewChat, onNew }: QuickBarProps) {
  const { lanes, setLanes } = useModelAndSettings({ conversation, newChat, onNewChat });
  return (
    <header className={classes['bar']}>
      <div className={classes['model']}>
        <ModelPicker
          value={lanes[0]?.model ?? ''}
          onPick={(model) => {
            rememberModelChoice(model);
            setLanes([{ model, protocol: null, from: 0 }]);
          }}
        />
      </div>
      <Group gap={4} wrap="nowrap">
        <Tooltip label={`New conversation (${MOD_KEY}+N)`}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label="New conversation"
            disabled={chosen === undefined}
            onClick={onNew}
          >
            <IconPlus size={18} stroke={1.6} />
          </ActionIcon>
        </Tooltip>
        <Tooltip label="Open in the main window">
          <IconLink
            component="a"
            to="/chat"
            search={chosen === undefined ? {} : { c: chosen }}
            variant="subtle"
            color="gray"
            aria-label="Open in the main window"
          >
            <IconArrowsDiagonal size={18} stroke={1.6} />
          </IconLink>
        </Tooltip>
      </Group>
    </header>
  );
}
