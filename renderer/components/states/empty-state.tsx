import { Stack, Text, ThemeIcon, Title } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';

interface EmptyStateProps {
  readonly icon: ComponentType<{ size?: number; stroke?: number }>;
  readonly title: string;
  /** Advice about the next step. */
  readonly children: ReactNode;
}

/** Fills an empty list: says that it is empty and what to do next. */
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
