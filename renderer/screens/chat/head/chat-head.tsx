import { Group, Text } from '@mantine/core';
import type { Conversation, NewConversation } from '../../../../shared/chat.ts';
import { ModelPicker } from './model-picker.tsx';

interface ChatHeadProps {
  /** `null` for a new one, which lives in `fresh` until the first sending. */
  readonly conversation: Conversation | null;
  readonly fresh: NewConversation;
  readonly onFresh: (fresh: NewConversation) => void;
  readonly running: boolean;
  readonly onGone: () => void;
}

/** What a conversation is called, who answers in it, and how. */
export function ChatHead({ conversation, fresh, onFresh }: ChatHeadProps) {
  const { lanes } = conversation ?? fresh;
  return (
    <Group p="xs" gap="xs">
      <Text fw={600}>{conversation?.title ?? 'New conversation'}</Text>
      {lanes.map((lane, place) => (
        <ModelPicker
          key={place}
          value={lane.model}
          onPick={(model) => {
            if (conversation === null) {
              onFresh({ ...fresh, lanes: fresh.lanes.with(place, { ...lane, model }) });
            }
          }}
        />
      ))}
    </Group>
  );
}
