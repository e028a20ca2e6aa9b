import { Tooltip, UnstyledButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useClipped } from '../hooks/use-clipped.ts';
import { formatShortCount } from '../format/format.ts';
import { formatCount } from '../../shared/format.ts';
import classes from './rows.module.css';

interface HeadCellProps {
  readonly children: ReactNode;
  /** Aligns the header of a column of numbers. */
  readonly figures?: boolean;
  /** Hides the column when the list is narrow. */
  readonly wide?: boolean;
  readonly about?: string;
}

/** The header of a column, with its meaning in a tooltip. */
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

/** The parts of a token sum. */
export const SUMS_ABOUT = 'Reported by the service, or estimated by Gatehouse where possible.';

interface FigureCellProps {
  readonly count: number;
  readonly wide?: boolean;
}

/** Shows a count of a row; a dash for none. */
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
  /** The full name, for the tooltip when it is cut off. */
  readonly text: string;
  readonly children: ReactNode;
  /** The accessible name, where the children are more than a text. */
  readonly label?: string;
  readonly chosen: boolean;
  readonly mono?: boolean;
  /** Props of `useListKeys`, and the click handler. */
  readonly open: object;
}

/** The name of a row and the button that opens the whole row. */
export function RowButton({ text, children, label, chosen, mono = false, open }: RowButtonProps) {
  const { clipped, measuring } = useClipped();
  return (
    <Tooltip label={text} disabled={!clipped}>
      <UnstyledButton
        className={classes['open']}
        data-mono={mono || undefined}
        aria-label={label}
        aria-current={chosen || undefined}
        {...measuring}
        {...open}
      >
        {children}
      </UnstyledButton>
    </Tooltip>
  );
}
