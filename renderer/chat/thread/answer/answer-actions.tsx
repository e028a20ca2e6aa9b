import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core';
import { IconArrowsSplit2, IconCheck, IconDots, IconRefresh } from '@tabler/icons-react';
import type { Answer, MessageId, TextProtocol } from '../../../../shared/chat/chat.ts';
import { CopyButton } from '../../../components/copy-button.tsx';
import { ModelPicker } from '../../model-picker/model-picker.tsx';
import type { RetryOptions } from '../../use-conversation-actions.ts';
import { useThread } from '../thread-context.ts';
import { VersionPager } from '../version-pager.tsx';
import { toVersions } from '../versions.ts';
import classes from '../thread.module.css';

const PROTOCOLS: readonly (readonly [TextProtocol, string])[] = [
  ['chat', 'Chat Completions'],
  ['responses', 'Responses'],
  ['messages', 'Messages'],
];

interface AnswerActionsProps {
  readonly id: MessageId;
  readonly siblings: readonly MessageId[];
  readonly answer: Answer;
  /** The text to copy. */
  readonly text: string;
  readonly lanes: readonly number[];
}

/** The actions on a completed answer. */
export function AnswerActions({ id, siblings, answer, text, lanes }: AnswerActionsProps) {
  const { actions, conversation, shown } = useThread();
  const versions = toVersions({ id, siblings }, shown);
  const [lane] = lanes;
  const compared = conversation.lanes.length > 1 && lanes.length === 1;
  return (
    <div className={classes['actions']}>
      {versions !== null && (
        <VersionPager
          at={versions.at}
          of={versions.ids.length}
          onPage={(by) => {
            const message = versions.ids[versions.at + by];
            if (message !== undefined) actions.show(lanes.map((each) => ({ lane: each, message })));
          }}
        />
      )}
      {text !== '' && <CopyButton value={text} what="the answer as Markdown" />}
      <Retry answer={answer} onRetry={(options) => actions.retry(id, options)} />
      {compared && lane !== undefined && (
        <Button
          size="compact-xs"
          variant="subtle"
          color="gray"
          leftSection={<IconCheck size={14} aria-hidden />}
          onClick={() => actions.keepLane(lane)}
        >
          Continue with this answer
        </Button>
      )}
    </div>
  );
}

interface RetryProps {
  readonly answer: Answer;
  readonly onRetry: (options: RetryOptions) => void;
}

function Retry({ answer: { model, protocol }, onRetry }: RetryProps) {
  return (
    <>
      <Tooltip label="Retry">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label="Retry"
          onClick={() => onRetry({})}
        >
          <IconRefresh size={15} />
        </ActionIcon>
      </Tooltip>
      <ModelPicker
        value={model}
        label="Ask another model"
        onPick={(other) => onRetry({ model: other })}
        target={(toggle) => (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Ask another model"
            title="Ask another model"
            onClick={toggle}
          >
            <IconArrowsSplit2 size={15} />
          </ActionIcon>
        )}
      />
      <Menu position="bottom-start" transitionProps={{ duration: 80 }}>
        <Menu.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="sm"
            aria-label="Retry with other options"
            title="Retry with other options"
          >
            <IconDots size={15} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Retry</Menu.Label>
          {PROTOCOLS.filter(([other]) => other !== protocol).map(([other, name]) => (
            <Menu.Item key={other} onClick={() => onRetry({ protocol: other })}>
              with {name}
            </Menu.Item>
          ))}
          <Menu.Item onClick={() => onRetry({ plain: true })}>without extra settings</Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
