import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { toMessage } from '../../format/errors.ts';

interface ErrorStateProps {
  /** The failure as a sentence: "Could not load the history." */
  readonly title: string;
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** Shows a failure, its cause and a button to try again. */
export function ErrorState({ title, error, onRetry }: ErrorStateProps) {
  return (
    <Alert color="red" icon={<IconAlertTriangle />} title={title} role="alert">
      <Group justify="space-between">
        <Text size="sm">{toMessage(error)}</Text>
        <Button size="compact-sm" variant="default" onClick={onRetry}>
          Try again
        </Button>
      </Group>
    </Alert>
  );
}
