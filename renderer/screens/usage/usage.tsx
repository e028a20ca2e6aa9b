import { Button, Skeleton, Stack } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { IconArrowsDiff, IconChartBar } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { UsageOverview } from '../../../shared/history/usage.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { Page } from '../../components/page.tsx';
import { useScopeTerm } from '../../components/scope-note.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { useCurrency } from '../../hooks/use-currency.ts';
import { useToday } from '../../hooks/use-today.ts';
import { Cache } from './cache.tsx';
import { Course } from './course.tsx';
import { ExportUsage } from './export-usage.tsx';
import { Groups } from './groups.tsx';
import { toFilter } from './history-filter.ts';
import { Hours } from './hours.tsx';
import { PeriodPicker } from './period-picker.tsx';
import { toPeriod } from './search.ts';
import { Totals } from './totals.tsx';
import classes from './usage.module.css';

/** Pause between two loads while requests arrive. */
const PAUSE_MS = 2_000;

/** The screen of what was used: money, tokens, requests and speed of a period. */
export function Usage() {
  const search = useSearch({ from: '/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const currency = useCurrency();
  const period = toPeriod(search, useToday());
  const { by = 'model' } = search;
  const { overview } = useCalls().usage;
  const query = useQuery(overview.queryOptions({ input: period, refetchOnMount: 'always' }));
  const { data } = query;
  useRefreshWhileRequestsArrive();
  return (
    <Page
      title="Usage"
      about="What requests cost and how fast they were."
      actions={
        <>
          <Button
            component={Link}
            to="/usage/reconcile"
            size="compact-sm"
            variant="default"
            leftSection={<IconArrowsDiff size={14} aria-hidden />}
          >
            Compare with the service’s export
          </Button>
          {data && <ExportUsage overview={data} by={by} currency={currency} />}
        </>
      }
    >
      <PeriodPicker
        name={search.period ?? '7d'}
        period={period}
        onChange={(change) =>
          void navigate({ search: (before) => ({ ...before, ...change }), replace: true })
        }
      />
      {query.isError && (
        <ErrorState
          title="Could not load the usage."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data === undefined && !query.isError && <Waiting />}
      {data !== undefined && !query.isError && <Panels overview={data} />}
    </Page>
  );
}

/** Loads all that this screen shows anew, at most once in two seconds. */
function useRefreshWhileRequestsArrive(): void {
  const queries = useQueryClient();
  const queryKey = useCalls().usage.key();
  const refresh = useThrottledCallback(
    () => void queries.invalidateQueries({ queryKey }),
    PAUSE_MS,
  );
  useLiveEvents(({ kind }) => {
    if (kind === 'history') refresh();
  });
}

function Panels({ overview }: { readonly overview: UsageOverview }) {
  const { by = 'model', measure = 'money' } = useSearch({ from: '/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const currency = useCurrency();
  const term = useScopeTerm();
  const { period, totals, hours } = overview;
  if (totals.exchanges === 0) return <Nothing />;
  if (term === null) return <Waiting />;
  return (
    <Stack gap="md">
      <Totals overview={overview} currency={currency} filter={toFilter(period, term)} />
      <Course
        overview={overview}
        measure={measure}
        currency={currency}
        term={term}
        onChange={(chosen) =>
          void navigate({ search: (before) => ({ ...before, measure: chosen }), replace: true })
        }
      />
      <Groups
        period={period}
        by={by}
        currency={currency}
        term={term}
        onChange={(chosen) =>
          void navigate({ search: (before) => ({ ...before, by: chosen }), replace: true })
        }
      />
      <div className={classes['columns']}>
        <Hours {...{ hours, period, currency, term }} />
        <Cache overview={overview} currency={currency} />
      </div>
    </Stack>
  );
}

function Waiting() {
  return (
    <Stack gap="md">
      <Skeleton h={190} />
      <Skeleton h={320} />
      <Skeleton h={260} />
    </Stack>
  );
}

function Nothing() {
  return (
    <EmptyState icon={IconChartBar} title="No requests in this period">
      Choose a longer one, or connect a program in{' '}
      <ScreenLink to="/clients" size="sm" underline="always">
        Clients
      </ScreenLink>
      .
    </EmptyState>
  );
}
