import { Tooltip } from '@mantine/core';
import { type ReactNode, type SyntheticEvent, useState } from 'react';

interface TruncatedTextProps {
  /** The full text, for the tooltip when it is cut off. */
  readonly text: string;
  /** Class name of the style that cuts the text off. */
  readonly className: string | undefined;
  readonly children?: ReactNode;
}

/** Shows a text on one line, in full in a tooltip where it is cut off. */
export function TruncatedText({ text, className, children = text }: TruncatedTextProps) {
  const [clipped, setClipped] = useState(false);
  const measure = ({ currentTarget }: SyntheticEvent<HTMLElement>): void => {
    setClipped(currentTarget.scrollWidth > currentTarget.clientWidth);
  };
  return (
    <Tooltip label={text} disabled={!clipped}>
      <span className={className} onMouseEnter={measure}>
        {children}
      </span>
    </Tooltip>
  );
}
