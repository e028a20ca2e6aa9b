import { UnstyledButton } from '@mantine/core';
import { IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId, useState } from 'react';
import classes from './disclosure.module.css';

interface DisclosureProps {
  readonly label: ReactNode;
  readonly children: ReactNode;
}

/** Content that is hidden until a person opens it. It is not rendered before. */
export function Disclosure({ label, children }: DisclosureProps) {
  const id = useId();
  const [opened, setOpened] = useState(false);
  return (
    <div className={classes['disclosure']}>
      <UnstyledButton
        className={classes['opener'] ?? ''}
        aria-expanded={opened}
        aria-controls={id}
        onClick={() => setOpened(!opened)}
      >
        <IconChevronRight size={14} aria-hidden data-opened={opened || undefined} />
        <span>{label}</span>
      </UnstyledButton>
      <div id={id} hidden={!opened} className={classes['disclosed']}>
        {opened && children}
      </div>
    </div>
  );
}
