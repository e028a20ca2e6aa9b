import { Skeleton } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import classes from './history.module.css';

const SKELETON_ROWS = 14;

/** Placeholder rows while the first page loads. */
export function Loading() {
  return (
    <div className={classes['frame']} role="group" aria-busy aria-label="Loading the history">
      {Array.from({ length: SKELETON_ROWS }, (_, row) => (
        <Skeleton key={row} className={classes['skeleton'] ?? ''} />
      ))}
    </div>
  );
}

/** Shown when the history is empty. */
export function NothingYet() {
  return (
    <EmptyState icon={IconHistory} title="No requests yet">
      Each request of a client appears here with its answer. Connect a program in{' '}
      <ScreenLink to="/clients" size="sm" underline="always">
        Clients
      </ScreenLink>{' '}
      and send a first request with it.
    </EmptyState>
  );
}
