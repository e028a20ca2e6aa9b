import { Button, Tooltip } from '@mantine/core';
import { IconColumns2 } from '@tabler/icons-react';
import type { Ref } from 'react';
import {
  type Conversation,
  MAX_LANES,
  type NewConversation,
} from '../../../../shared/chat/chat.ts';
import { ConversationName } from './conversation-name.tsx';
import { HeadMenu } from './head-menu.tsx';
import classes from './head.module.css';
import { ModelChip } from './model-chip.tsx';
import { rememberModelChoice } from '../../../chat/model-picker/model-choices.ts';
import { ModelPicker } from '../../../chat/model-picker/model-picker.tsx';
import { SettingsButton } from './settings-button.tsx';
import { type ModelChoice, useModelAndSettings } from '../../../chat/use-model-and-settings.ts';

interface ChatHeadProps {
  /** `null` for a new conversation. */
  readonly conversation: Conversation | null;
  /** Models and settings of a new conversation. */
  readonly newChat: NewConversation;
  readonly onNewChat: (newChat: NewConversation) => void;
  /** Whether an answer is in progress. */
  readonly running: boolean;
  /** Called when the conversation was deleted. */
  readonly onGone: () => void;
}

/** The header of a conversation: title, models, settings and menu. */
export function ChatHead(head: ChatHeadProps) {
  const { conversation, running, onGone } = head;
  const chosen = useModelAndSettings(head);
  const id = conversation?.id ?? null;
  return (
    <header className={classes['head']} data-compares={chosen.lanes.length > 1 || undefined}>
      <ConversationName key={id} conversation={conversation} />
      <Models chosen={chosen} running={running} />
      <div className={classes['tools']}>
        <SettingsButton
          key={`settings-${id}`}
          settings={chosen.settings}
          lanes={chosen.lanes}
          onChange={chosen.setSettings}
        />
        {conversation !== null && (
          <HeadMenu key={`menu-${id}`} conversation={conversation} onGone={onGone} />
        )}
      </div>
    </header>
  );
}

interface ModelsProps {
  readonly chosen: ModelChoice;
  readonly running: boolean;
}

function Models({ chosen, running }: ModelsProps) {
  const { setLanes } = chosen;
  const lanes = chosen.lanes.map(({ model, protocol }, from) => ({ model, protocol, from }));
  return (
    <div className={classes['models']}>
      {lanes.map((lane) => (
        <ModelChip
          key={lane.from}
          lane={lane}
          onChange={(next) => {
            // A new chat begins with the first model; the others are compared with it.
            if (lane.from === 0 && next.model !== lane.model) rememberModelChoice(next.model);
            setLanes(lanes.with(lane.from, { ...next, from: lane.from }));
          }}
          onRemove={
            lanes.length === 1 || running
              ? null
              : () => setLanes(lanes.filter(({ from }) => from !== lane.from))
          }
        />
      ))}
      {lanes.length < MAX_LANES && (
        <ModelPicker
          value=""
          onPick={(model) => setLanes([...lanes, { model, protocol: null, from: 0 }])}
          target={(toggle) => <CompareButton disabled={running} onClick={toggle} />}
        />
      )}
    </div>
  );
}

interface CompareButtonProps {
  readonly disabled: boolean;
  readonly onClick: () => void;
  /** Ref of the picker that it opens. */
  readonly ref?: Ref<HTMLButtonElement>;
}

function CompareButton({ ref, ...button }: CompareButtonProps) {
  return (
    <Tooltip label="Ask another model side by side">
      <Button
        ref={ref}
        variant="subtle"
        color="gray"
        size="compact-sm"
        leftSection={<IconColumns2 size={15} stroke={1.7} aria-hidden />}
        aria-label="Compare with another model"
        {...button}
      >
        Compare
      </Button>
    </Tooltip>
  );
}
