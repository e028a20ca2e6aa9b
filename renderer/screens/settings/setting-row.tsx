import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './setting-row.module.css';

interface RowProps {
  readonly label: ReactNode;
  /** Describes the setting, below the label. */
  readonly about: ReactNode;
  /** A note, such as why it cannot be changed now. */
  readonly pinned?: ReactNode;
  /** Whether the control fits beside the label on a narrow screen. */
  readonly small?: boolean;
  readonly children: ReactNode;
}

/** One setting: label at the left, control at the right. */
export function Row({ label, about, pinned, small = false, children }: RowProps) {
  return (
    <div className={classes['row']}>
      <div>
        <Text size="sm" fw={500} component="div" data-setting>
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

/** A list of settings. */
export function Rows({ children }: { readonly children: ReactNode }) {
  return <div className={classes['rows']}>{children}</div>;
}
