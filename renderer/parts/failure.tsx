import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { sentenceOf } from './problem.ts';

interface FailureProps {
  /** What could not be had: "The history could not be read." */
  readonly title: string;
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** What could not be shown, why, and a way to try again. */
export function Failure({ title, error, onRetry }: FailureProps) {
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={title} role="alert">
      <Group justify="space-between">
        <Text size="sm">{sentenceOf(error)}</Text>
        <Button size="compact-sm" variant="default" onClick={onRetry}>
          Try again
        </Button>
      </Group>
    </Alert>
  );
}
