import { ActionIcon, Button, Group, Text, Tooltip } from '@mantine/core';
import { IconColumns2, IconX } from '@tabler/icons-react';
import { type Conversation, MOST_LANES, type NewConversation } from '../../../../shared/chat.ts';
import classes from './head.module.css';
import { ModelPicker } from './model-picker.tsx';
import { useChosen } from './use-chosen.ts';

interface ChatHeadProps {
  /** `null` for one that has not begun. */
  readonly conversation: Conversation | null;
  /** What a new one begins with. */
  readonly fresh: NewConversation;
  readonly onFresh: (fresh: NewConversation) => void;
  /** Whether an answer is on its way. */
  readonly running: boolean;
  /** The conversation was deleted. */
  readonly onGone: () => void;
}

/** What a conversation is called, who answers in it and how they are asked. */
export function ChatHead(head: ChatHeadProps) {
  const { conversation } = head;
  const { lanes, setLanes } = useChosen(head);
  const now = lanes.map(({ model, protocol }, from) => ({ model, protocol, from }));
  return (
    <header className={classes['head']}>
      <Text fw={600} truncate>
        {conversation === null || conversation.title === ''
          ? 'New conversation'
          : conversation.title}
      </Text>
      <Group gap={6}>
        {now.map(({ model, from }) => (
          <Group key={from} gap={0} wrap="nowrap">
            <ModelPicker
              value={model}
              onPick={(picked) =>
                setLanes(
                  now.map((lane) =>
                    lane.from === from ? { model: picked, protocol: null, from } : lane,
                  ),
                )
              }
            />
            {now.length > 1 && (
              <Tooltip label="Leave it out">
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size="sm"
                  aria-label={`Leave out ${model}`}
                  onClick={() => setLanes(now.filter((lane) => lane.from !== from))}
                >
                  <IconX size={14} />
                </ActionIcon>
              </Tooltip>
            )}
          </Group>
        ))}
        {now.length < MOST_LANES && (
          <Button
            size="compact-sm"
            variant="subtle"
            leftSection={<IconColumns2 size={14} aria-hidden />}
            onClick={() =>
              setLanes([...now, { model: now[0]?.model ?? '', protocol: null, from: 0 }])
            }
          >
            Compare
          </Button>
        )}
      </Group>
    </header>
  );
}
