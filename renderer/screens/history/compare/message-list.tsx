import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { ComparedMessage } from '../../../../shared/compare/compare-messages.ts';
import { pluralize } from '../../../../shared/format.ts';
import { MoreButton } from '../detail/bodies/more-button.tsx';
import { Pieces } from './pieces.tsx';

/** Number of messages that are shown at first, and of those that are added on request. */
const STEP = 30;

/** Shows the messages of two requests; those that are the same are only counted. */
export function MessageList({ messages }: { readonly messages: readonly ComparedMessage[] }) {
  const [count, setCount] = useState(STEP);
  const remaining = messages.length - count;
  return (
    <Stack gap="sm">
      {messages.slice(0, count).map((message, place) => (
        <MessageView key={place} message={message} />
      ))}
      {remaining > 0 && (
        <MoreButton onClick={() => setCount(count + STEP)}>
          Show more ({pluralize(remaining, 'entry', 'entries')} left)
        </MoreButton>
      )}
    </Stack>
  );
}

function MessageView({ message }: { readonly message: ComparedMessage }) {
  if (message.kind === 'same') {
    const { count } = message;
    return (
      <Text size="sm" c="dimmed">
        {pluralize(count, 'message')} {count === 1 ? 'is' : 'are'} the same.
      </Text>
    );
  }
  const { role, kind, pieces } = message;
  return (
    <article aria-label={`Message of ${role}, ${kind}`}>
      <Text size="xs" fw={600} c="dimmed">
        {role}, {kind}
      </Text>
      <Pieces pieces={pieces} />
    </article>
  );
}
