import { Button } from '@mantine/core';
import { IconFilterOff } from '@tabler/icons-react';
import { EmptyState } from './empty-state.tsx';

interface NoMatchProps {
  readonly title: string;
  /** The things that are filtered, in the plural. */
  readonly items: string;
  readonly onReset: () => void;
}

/** Says that nothing matches the filters of a list, and offers to reset them. */
export function NoMatch({ title, items, onReset }: NoMatchProps) {
  return (
    <EmptyState icon={IconFilterOff} title={title}>
      No {items} match these filters.
      <br />
      <Button mt="sm" size="compact-sm" variant="default" onClick={onReset}>
        Reset the filters
      </Button>
    </EmptyState>
  );
}
