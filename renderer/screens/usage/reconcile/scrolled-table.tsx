import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

interface ScrolledTableProps {
  /** What the table has, for screen readers. */
  readonly label: string;
  readonly minWidth: number;
  readonly className?: string | undefined;
  readonly children: ReactNode;
}

/** A table that scrolls sideways where it has no room, also with the keyboard. */
export function ScrolledTable({ label, minWidth, className, children }: ScrolledTableProps) {
  const viewport = { tabIndex: 0, role: 'group', 'aria-label': label } as const;
  return (
    <Table.ScrollContainer
      minWidth={minWidth}
      className={className ?? ''}
      scrollAreaProps={{ viewportProps: viewport }}
    >
      {children}
    </Table.ScrollContainer>
  );
}
