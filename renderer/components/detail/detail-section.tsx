import { Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface DetailSectionProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
}

/** One part of the details, under its title. */
export function DetailSection({ title, children }: DetailSectionProps) {
  return (
    <section>
      <Title order={3} mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}
