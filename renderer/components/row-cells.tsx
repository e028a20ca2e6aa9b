import { Tooltip, UnstyledButton } from '@mantine/core';
import { type ReactNode, type SyntheticEvent, useState } from 'react';
import { formatShortCount } from '../format/format.ts';
import { formatCount } from '../../shared/format.ts';
import classes from './rows.module.css';

interface HeadCellProps {
  readonly children: ReactNode;
  /** Above numbers. */
  readonly figures?: boolean;
  /** Goes when the list is narrow. */
  readonly wide?: boolean;
  readonly about?: string;
}

/** The name of a column, with what it means in a tooltip. */
export function HeadCell({ children, figures = false, wide = false, about }: HeadCellProps) {
  return (
    <Tooltip label={about} disabled={about === undefined}>
      <div
        className={classes['cell']}
        role="columnheader"
        data-figures={figures || undefined}
        data-wide={wide || undefined}
      >
        {children}
      </div>
    </Tooltip>
  );
}

/** What sums of tokens are made of. */
export const SUMS_ABOUT =
  'As the service reported them; where it reported nothing, as Gatehouse estimated.';

interface FigureCellProps {
  readonly count: number;
  readonly wide?: boolean;
}

/** A count of a row; a dash for none. */
export function FigureCell({ count, wide = false }: FigureCellProps) {
  const text = formatShortCount(count);
  const exact = formatCount(count);
  return (
    <Tooltip label={exact} disabled={text === exact}>
      <div className={classes['cell']} role="cell" data-figures data-wide={wide || undefined}>
        {count === 0 ? '–' : text}
      </div>
    </Tooltip>
  );
}

interface RowButtonProps {
  /** In full, for the tooltip when it is cut off. */
  readonly text: string;
  readonly children: ReactNode;
  readonly chosen: boolean;
  readonly mono?: boolean;
  /** Of `useListKeys`, and what a click does. */
  readonly open: object;
}

/** The name of a row, by which the whole row is opened. */
export function RowButton({ text, children, chosen, mono = false, open }: RowButtonProps) {
  const [clipped, setClipped] = useState(false);
  const measure = ({ currentTarget }: SyntheticEvent<HTMLElement>): void => {
    setClipped(currentTarget.scrollWidth > currentTarget.clientWidth);
  };
  return (
    <Tooltip label={text} disabled={!clipped}>
      <UnstyledButton
        className={classes['open']}
        data-mono={mono || undefined}
        aria-current={chosen || undefined}
        onMouseEnter={measure}
        {...open}
      >
        {children}
      </UnstyledButton>
    </Tooltip>
  );
}
