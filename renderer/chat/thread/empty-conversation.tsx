import { Button, Stack } from '@mantine/core';
import { IconMessage } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../api/client.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { STARTER_PROMPTS } from '../../../shared/chat/starter-prompts.ts';
import classes from './thread.module.css';

interface EmptyConversationProps {
  /** Reduces the content for the quick chat window. */
  readonly brief: boolean;
  readonly onTry: (text: string) => void;
}

/** Fills an empty conversation: its purpose, example prompts, and missing requirements. */
export function EmptyConversation({ brief, onTry }: EmptyConversationProps) {
  return (
    <div className={classes['nothing']}>
      <EmptyState icon={IconMessage} title="What would you like to ask?">
        {!brief && 'Try a model, compare two or three, or use this every day. '}
        Your messages go through Gatehouse to your service and appear in History; conversations are
        stored on this machine only.
        <Missing />
      </EmptyState>
      <Stack gap={6} align="center">
        {STARTER_PROMPTS.map((example) => (
          <Button
            key={example}
            variant="default"
            size="xs"
            radius="xl"
            classNames={{ root: classes['example'] ?? '', label: classes['exampleText'] ?? '' }}
            onClick={() => onTry(example)}
          >
            {example}
          </Button>
        ))}
      </Stack>
    </div>
  );
}

/** Names the requirement that is missing for a chat. */
function Missing() {
  const calls = useCalls();
  const { data: status } = useQuery(calls.status.get.queryOptions());
  const { data: list } = useQuery(calls.models.list.queryOptions());
  if (status?.paused === true) {
    return <p>Gatehouse is paused. Resume it on Home to send messages.</p>;
  }
  if (status !== undefined && status.key.name === 'missing') {
    return (
      <p>
        There is no service key yet. Enter one in{' '}
        <ScreenLink to="/settings" size="sm">
          Settings
        </ScreenLink>
        .
      </p>
    );
  }
  if (list !== undefined && list.models.length === 0 && list.problem !== null) {
    return (
      <p>Could not load the models of the service: {list.problem} You can still type a model id.</p>
    );
  }
  return null;
}
