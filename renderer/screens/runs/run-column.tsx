import { Button, Skeleton, Stack } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { NoMatch } from '../../components/states/no-match.tsx';
import type { BodySearch } from '../../hooks/use-body-search.ts';
import { RunList } from './run-list.tsx';
import classes from './runs.module.css';
import type { useFoundRuns } from './use-runs.ts';

interface RunColumnProps {
  readonly query: ReturnType<typeof useFoundRuns>['query'];
  readonly shown: RunId | null;
  /** The words that are searched for; empty for none. */
  readonly words: string;
  /** `null` when they are not searched for in requests and responses. */
  readonly bodySearch: BodySearch | null;
  readonly onOpen: (id: RunId) => void;
  readonly onReset: () => void;
  readonly onSearchBodies: () => void;
  /** Searches runs of a single request without tools as well; absent where they are searched already. */
  readonly onAddSingle: (() => void) | undefined;
}

/** The list of runs with its states: loading, failed, empty, and more to load. */
export function RunColumn({
  query,
  shown,
  words,
  bodySearch,
  onOpen,
  onReset,
  onSearchBodies,
  onAddSingle,
}: RunColumnProps) {
  const { runs } = query;
  // The line below the filters says what a search that runs or has failed found.
  const isSearching = bodySearch?.state === 'running' || (bodySearch?.error ?? null) !== null;
  const isEmpty = query.isSuccess && runs.length === 0 && !isSearching;
  return (
    <div className={classes['list']}>
      {query.isPending && <Loading />}
      {query.isError && (
        <ErrorState title="Could not load the runs." error={query.error} onRetry={query.retry} />
      )}
      {isEmpty &&
        (words !== '' ? (
          <NoMatch
            title="No run matches"
            items="runs"
            onReset={onReset}
            onSearchBodies={bodySearch === null ? onSearchBodies : undefined}
          />
        ) : (
          <EmptyState icon={IconRoute} title="No runs yet">
            When an agent works through Gatehouse, each of its tasks appears here with every step:
            tool calls and their results, tokens, times and failures. Runs are found in the requests
            and responses that are kept; Settings says for how long.
          </EmptyState>
        ))}
      <RunList runs={runs} matches={query.matches} shown={shown} onOpen={onOpen} />
      {query.hasMore && (
        <Button
          variant="subtle"
          size="xs"
          loading={query.isFetchingNextPage}
          onClick={query.loadMore}
        >
          Older runs
        </Button>
      )}
      {words !== '' && query.isSuccess && onAddSingle !== undefined && (
        <Button variant="subtle" size="xs" onClick={onAddSingle}>
          Search single requests too
        </Button>
      )}
    </div>
  );
}

function Loading() {
  return (
    <Stack gap="sm" p="sm">
      <Skeleton h={56} />
      <Skeleton h={56} />
      <Skeleton h={56} />
    </Stack>
  );
}
