import { Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: ComponentType<{ size?: number; stroke?: number }>;
  readonly title: string;
  /** What to do next. */
  readonly children: ReactNode;
}

/** Where nothing is yet: says so, and what to do next. */
export function EmptyState({ icon: Icon, title, children }: EmptyStateProps) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <ThemeIcon variant="light" size={44} radius="xl">
        <Icon size={24} stroke={1.5} />
      </ThemeIcon>
      <Title order={2}>{title}</Title>
      <Text size="sm" c="dimmed" maw={460} component="div">
        {children}
      </Text>
    </Stack>
  );
}
