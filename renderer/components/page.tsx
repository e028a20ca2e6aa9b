import { Group, Text, Title } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import type { ReactNode } from 'react';
import classes from './page.module.css';

interface PageProps {
  readonly title: string;
  /** One line below the title. */
  readonly about?: ReactNode;
  /** Buttons at the right of the title. */
  readonly actions?: ReactNode;
  /** The content takes the whole height and scrolls by itself. */
  readonly fills?: boolean;
  readonly children: ReactNode;
}

/** Lays out a screen: its title, the actions on the screen as a whole, and its content. */
export function Page({ title, about, actions, fills = false, children }: PageProps) {
  useDocumentTitle(`${title} · Gatehouse`);
  return (
    <div className={classes['page'] ?? ''} data-fills={fills || undefined}>
      <Group component="header" justify="space-between" align="flex-start" gap="sm" mb="md">
        <div className={classes['heading']}>
          <Title order={1}>{title}</Title>
          {about !== undefined && (
            <Text size="sm" c="dimmed" component="div">
              {about}
            </Text>
          )}
        </div>
        <Group gap="xs">{actions}</Group>
      </Group>
      {children}
    </div>
  );
}
