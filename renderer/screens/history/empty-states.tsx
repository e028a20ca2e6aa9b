import { Button, Skeleton } from '@mantine/core';
import { IconFilterOff, IconHistory } from '@tabler/icons-react';
import { EmptyState } from '../../components/empty-state.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import classes from './history.module.css';

const SKELETON_ROWS = 14;

/** Placeholder rows while the first page loads. */
export function Loading() {
  return (
    <div className={classes['frame']} aria-busy aria-label="Loading the history">
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <Skeleton key={row} className={classes['skeleton'] ?? ''} />
      ))}
    </div>
  );
}

/** Shown when no exchange matches the filter. */
export function NoMatch({ onReset }: { readonly onReset: () => void }) {
  return (
    <EmptyState icon={IconFilterOff} title="No exchange matches">
      No requests match these filters.
      <br />
      <Button mt="sm" size="compact-sm" variant="default" onClick={onReset}>
        Reset the filters
      </Button>
    </EmptyState>
  );
}

/** Shown when the history is empty. */
export function NothingYet() {
  return (
    <EmptyState icon={IconHistory} title="No exchange yet">
      Every request of a client and its answer appear here as they come in. Connect a program in{' '}
      <ScreenLink to="/clients" size="sm" underline="always">
        Clients
      </ScreenLink>{' '}
      and send a first request with it.
    </EmptyState>
  );
}
