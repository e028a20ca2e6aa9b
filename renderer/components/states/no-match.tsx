import { Button, Group } from '@mantine/core';
import { IconFilterOff } from '@tabler/icons-react';
import { EmptyState } from './empty-state.tsx';

interface NoMatchProps {
  readonly title: string;
  /** The things that are filtered, in the plural. */
  readonly items: string;
  readonly onReset: () => void;
  /** Looks for the words in requests and responses, where the filters do not; absent where there are none. */
  readonly onSearchBodies?: (() => void) | undefined;
}

/** Says that nothing matches the filters of a list, and offers to search elsewhere or to reset them. */
export function NoMatch({ title, items, onReset, onSearchBodies }: NoMatchProps) {
  return (
    <EmptyState icon={IconFilterOff} title={title}>
      No {items} match these filters.
      {onSearchBodies !== undefined &&
        ' Words of prompts and answers are found only by a search in requests and responses.'}
      <Group mt="sm" gap="xs" justify="center">
        {onSearchBodies !== undefined && (
          <Button size="compact-sm" onClick={onSearchBodies}>
            Search in requests and responses
          </Button>
        )}
        <Button size="compact-sm" variant="default" onClick={onReset}>
          Reset the filters
        </Button>
      </Group>
    </EmptyState>
  );
}
