import { Alert, Button, Group, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { toMessage } from '../format/errors.ts';

interface ErrorStateProps {
  /** What could not be had: "The history could not be read." */
  readonly title: string;
  readonly error: unknown;
  readonly onRetry: () => void;
}

/** What could not be shown, why, and a way to try again. */
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
