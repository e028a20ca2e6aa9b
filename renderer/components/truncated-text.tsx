import { Tooltip } from '@mantine/core';
import type { ReactNode } from 'react';
import { useClipped } from '../hooks/use-clipped.ts';

interface TruncatedTextProps {
  /** The full text, for the tooltip when it is cut off. */
  readonly text: string;
  /** Class name of the style that cuts the text off. */
  readonly className: string | undefined;
  readonly children?: ReactNode;
}

/** Shows a text on one line, in full in a tooltip where it is cut off. */
export function TruncatedText({ text, className, children = text }: TruncatedTextProps) {
  const { clipped, measuring } = useClipped();
  return (
    <Tooltip label={text} disabled={!clipped}>
      <span className={className} {...measuring}>
        {children}
      </span>
    </Tooltip>
  );
}
