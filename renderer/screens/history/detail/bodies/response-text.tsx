import { Stack, Text } from '@mantine/core';
import type { AssembledResponse } from '../../../../../shared/parse-bodies/assemble-response.ts';
import { Parts } from './part-view.tsx';

interface ResponseTextProps {
  readonly response: AssembledResponse;
  /** Whether more may arrive. */
  readonly isRunning: boolean;
  /** Whether its middle is not stored. */
  readonly hasGap: boolean;
}

/** Shows the answer of a response, with the reason why it ended. */
export function ResponseText({ response, isRunning, hasGap }: ResponseTextProps) {
  const { parts, finish, error } = response;
  return (
    <Stack gap={8}>
      <article aria-label="Answer">
        <Parts parts={parts} isMarkdown isRunning={isRunning} />
        {parts.length === 0 && error === null && (
          <Text size="sm" c="dimmed">
            {isRunning ? 'No text has arrived yet.' : 'The answer has no text.'}
          </Text>
        )}
      </article>
      {error !== null && (
        <Text size="sm" c="var(--gate-bad)">
          Error: {error}
        </Text>
      )}
      {hasGap && (
        <Text size="sm" c="dimmed">
          A part of the text is missing, because the middle of the response is not kept.
        </Text>
      )}
      <Text size="xs" c="dimmed" role="status">
        {describeEnd(response, isRunning)}
        {finish !== null && ` Finish reason: ${finish}.`}
      </Text>
    </Stack>
  );
}

function describeEnd({ isComplete }: AssembledResponse, isRunning: boolean): string {
  if (isComplete) return 'The answer is complete.';
  return isRunning ? 'The answer is still arriving.' : 'The answer ended before it was complete.';
}
