import { Button, Center, Code, Group, Stack, Text, Title } from '@mantine/core';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { CopyButton } from '../components/copy-button.tsx';

/** Replaces a screen that crashed: what happened, what it means, and how to continue. */
export function ErrorScreen({ error, reset }: ErrorComponentProps) {
  const fault = error instanceof Error ? error : new Error('An unknown error occurred.');
  return (
    <Center p="xl" role="alert">
      <Stack maw={560} gap="sm">
        <Title order={2}>This screen failed</Title>
        <Text>This is a bug in Gatehouse. Your clients are not affected.</Text>
        <Code block fz="xs">
          {fault.message}
        </Code>
        <Group gap="xs">
          <Button onClick={reset}>Try again</Button>
          <CopyButton value={fault.stack ?? fault.message} what="the details" />
        </Group>
      </Stack>
    </Center>
  );
}
