import { Button, Skeleton, Stack } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { printTerms } from '../../../shared/filter-language/print.ts';
import type { RunId } from '../../../shared/exchange/exchange.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { NoMatch } from '../../components/states/no-match.tsx';
import { RunList } from './run-list.tsx';
import classes from './runs.module.css';
import type { useRuns } from './use-runs.ts';

interface RunColumnProps {
  readonly query: ReturnType<typeof useRuns>;
  readonly shown: RunId | null;
  /** The words that are searched for; empty for none. */
  readonly words: string;
  readonly onOpen: (id: RunId) => void;
  readonly onReset: () => void;
}

/** The list of runs with its states: loading, failed, empty, and more to load. */
export function RunColumn({ query, shown, words, onOpen, onReset }: RunColumnProps) {
  const { runs } = query;
  const navigate = useNavigate();
  const isEmpty = query.isSuccess && runs.length === 0;
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
            onSearchBodies={() =>
              // The details of each request that is found lead to its run.
              void navigate({
                to: '/history',
                search: { filter: printTerms([{ kind: 'body', text: words }]) },
              })
            }
          />
        ) : (
          <EmptyState icon={IconRoute} title="No runs yet">
            When an agent works through Gatehouse, each of its tasks appears here with every step:
            tool calls and their results, tokens, times and failures. Runs are found in the requests
            and responses that are kept; Settings says for how long.
          </EmptyState>
        ))}
      <RunList runs={runs} shown={shown} onOpen={onOpen} />
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
