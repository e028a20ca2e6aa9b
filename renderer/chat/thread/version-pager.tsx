import { ActionIcon, Tooltip } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';
import classes from './thread.module.css';

interface VersionPagerProps {
  /** Index of the version, from 0. */
  readonly at: number;
  readonly of: number;
  /** Called with the number of versions to move by. */
  readonly onPage: (by: number) => void;
}

/** Switches between the versions of a message. */
export function VersionPager({ at, of, onPage }: VersionPagerProps) {
  return (
    <span className={classes['pager']} role="group" aria-label="Versions" data-figures>
      <Tooltip label="Earlier version">
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label="Earlier version"
          disabled={at === 0}
          onClick={() => onPage(-1)}
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
          onClick={() => onPage(1)}
        >
          <IconChevronRight size={15} />
        </ActionIcon>
      </Tooltip>
    </span>
  );
}
