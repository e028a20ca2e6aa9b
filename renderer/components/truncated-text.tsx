import { Tooltip } from '@mantine/core';
import { type ReactNode, type SyntheticEvent, useState } from 'react';

interface TruncatedTextProps {
  /** In full, for the tooltip when it is cut off. */
  readonly text: string;
  /** Cuts it off. */
  readonly className: string | undefined;
  readonly children?: ReactNode;
}

/** A text on one line, whole in a tooltip where it is cut off. */
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
