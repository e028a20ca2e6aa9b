import { Group, Paper, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface PanelProps {
  readonly title: ReactNode;
  /** Content at the right of the title. */
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}

/** A section of a screen with its own title. */
export function Panel({ title, aside, children }: PanelProps) {
  const id = useId();
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id}>
      <Group justify="space-between" gap="xs" mb="sm" mih={26}>
        <Title order={2} id={id}>
          {title}
        </Title>
        {aside}
      </Group>
      {children}
    </Paper>
  );
}
