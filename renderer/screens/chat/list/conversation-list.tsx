import { Button, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ConversationId, MessageId } from '../../../../shared/chat.ts';
import { useCalls } from '../../../client/client.ts';

interface ConversationListProps {
  readonly chosen: ConversationId | undefined;
  readonly onChoose: (id: ConversationId, at?: MessageId) => void;
  readonly onNew: () => void;
  readonly onGone: (id: ConversationId) => void;
}

/** The conversations, the latest changed first. */
export function ConversationList({ chosen, onChoose, onNew }: ConversationListProps) {
  const { data } = useQuery(useCalls().chat.page.queryOptions({ input: { find: '', limit: 100 } }));
  return (
    <Stack gap={4} p="xs">
      <Button size="xs" variant="default" onClick={onNew}>
        New conversation
      </Button>
      {data?.conversations.map(({ id, title }) => (
        <Button
          key={id}
          size="xs"
          variant={id === chosen ? 'light' : 'subtle'}
          justify="flex-start"
          onClick={() => onChoose(id)}
        >
          {title === '' ? 'New conversation' : title}
        </Button>
      ))}
    </Stack>
  );
}
