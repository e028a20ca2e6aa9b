import { ActionIcon, Tooltip } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import classes from './thread.module.css';

interface LeafProps {
  /** Counted from 0. */
  readonly at: number;
  readonly of: number;
  /** By how many to go on. */
  readonly onLeaf: (by: number) => void;
}

/** Leafs through the versions of a message. */
export function Leaf({ at, of, onLeaf }: LeafProps) {
  return (
    <span className={classes['leaf']} role="group" aria-label="Versions" data-figures>
      <Tooltip label="Earlier version">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label="Earlier version"
          disabled={at === 0}
          onClick={() => onLeaf(-1)}
        >
          <IconChevronLeft size={15} />
        </ActionIcon>
      </Tooltip>
      <span>
        {at + 1}/{of}
      </span>
      <Tooltip label="Later version">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label="Later version"
          disabled={at === of - 1}
          onClick={() => onLeaf(1)}
        >
          <IconChevronRight size={15} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
