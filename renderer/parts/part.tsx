import { Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface PartProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
}

/** One part of the details, under its title. */
export function Part({ title, children }: PartProps) {
  return (
    <section>
      <Title order={3} mb={6}>
        {title}
      </Title>
      {children}
    </section>
  );
}
