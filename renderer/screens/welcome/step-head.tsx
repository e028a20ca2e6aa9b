import { Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import classes from './welcome.module.css';

interface StepHeadProps {
  readonly title: string;
  readonly children: ReactNode;
}

/** Shows what a step is for. Takes the focus when its step begins, so that a screen reader reads it out. */
export function StepHead({ title, children }: StepHeadProps) {
  const head = useRef<HTMLHeadingElement>(null);
  useEffect(() => head.current?.focus(), []);
  return (
    <div>
      <Title order={2} ref={head} tabIndex={-1} className={classes['head'] ?? ''}>
        {title}
      </Title>
      <Text size="sm" c="dimmed">
        {children}
      </Text>
    </div>
  );
}
