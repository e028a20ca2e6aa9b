import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './setting-row.module.css';

interface RowProps {
  readonly label: ReactNode;
  /** What it does, below the label. */
  readonly about: ReactNode;
  /** Why it cannot be changed now, or what else there is to know. */
  readonly pinned?: ReactNode;
  /** The control is small enough to stand beside the words on a narrow screen. */
  readonly small?: boolean;
  readonly children: ReactNode;
}

/** One setting: its words at the left, its control at the right. */
export function Row({ label, about, pinned, small = false, children }: RowProps) {
  return (
    <div className={classes['row']}>
      <div>
        <Text size="sm" fw={500} component="div">
          {label}
        </Text>
        <Text size="sm" c="dimmed" component="div">
          {about}
        </Text>
        {pinned !== undefined && (
          <Text size="sm" mt={4} component="div">
            {pinned}
          </Text>
        )}
      </div>
      <div className={classes['control']} data-narrow={small || undefined}>
        {children}
      </div>
    </div>
  );
}

/** Settings below each other. */
export function Rows({ children }: { readonly children: ReactNode }) {
  return <div className={classes['rows']}>{children}</div>;
}
