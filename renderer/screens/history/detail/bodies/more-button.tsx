import { Button } from '@mantine/core';
import type { ReactNode } from 'react';

interface MoreButtonProps {
  /** Whether everything is shown, for a button that shows less again. */
  readonly isExpanded?: boolean;
  readonly onClick: () => void;
  readonly children: ReactNode;
}

/** Shows more of a long text or list. */
export function MoreButton({ isExpanded, onClick, children }: MoreButtonProps) {
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      w="fit-content"
      aria-expanded={isExpanded}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}
