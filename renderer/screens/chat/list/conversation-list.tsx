import { Button, Stack, UnstyledButton } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ConversationId, MessageId } from '../../../../shared/chat.ts';
import { useCalls } from '../../../client/client.ts';
import { FilterInput } from '../../../parts/filter-input.tsx';

interface ConversationListProps {
  readonly chosen: ConversationId | undefined;
  /** `at`: where the words that were searched for were found. */
  readonly onChoose: (id: ConversationId, at?: MessageId) => void;
  readonly onNew: () => void;
  /** The conversation was deleted. */
  readonly onGone: (id: ConversationId) => void;
}

/** The conversations, the latest first, found by their words. */
export function ConversationList({ chosen, onChoose, onNew }: ConversationListProps) {
  const [find, setFind] = useState('');
  const { data } = useQuery(useCalls().chat.page.queryOptions({ input: { find, limit: 100 } }));
  return (
    <Stack gap="xs" p="xs">
      <Button leftSection={<IconPlus size={15} aria-hidden />} variant="default" onClick={onNew}>
        New conversation
      </Button>
      <FilterInput
        small
        label="Find conversations"
        placeholder="Find"
        value={find}
        onChange={setFind}
      />
      {data?.conversations.map(({ id, title, found }) => (
        <UnstyledButton
          key={id}
          aria-current={id === chosen || undefined}
          onClick={() => onChoose(id, found?.message)}
        >
          {title === '' ? 'New conversation' : title}
        </UnstyledButton>
      ))}
    </Stack>
  );
}
