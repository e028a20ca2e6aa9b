import { Button, Group, Skeleton, Stack } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { IconArrowsDiff, IconChartBar } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { UsageOverview } from '../../../shared/history/usage.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { Page } from '../../components/page.tsx';
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
import { ServicePicker, type ShownServices, useShownServices } from './service-picker.tsx';
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
  const shown = useShownServices(search.of);
  const query = useQuery({
    ...overview.queryOptions({ input: { ...period, of: shown?.of }, refetchOnMount: 'always' }),
    enabled: shown !== null,
  });
  const { data } = query;
  const change = (some: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...some }), replace: true });
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
          {data && shown && <ExportUsage {...{ overview: data, by, shown, currency }} />}
        </>
      }
    >
      <Group gap="sm" mb="md">
        <PeriodPicker name={search.period ?? '7d'} period={period} onChange={change} />
        {shown && <ServicePicker shown={shown} onChange={(of) => change({ of })} />}
      </Group>
      {query.isError && (
        <ErrorState
          title="Could not load the usage."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {data === undefined && !query.isError && <Waiting />}
      {data && shown && !query.isError && <Panels overview={data} shown={shown} />}
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

interface PanelsProps {
  readonly overview: UsageOverview;
  readonly shown: ShownServices;
}

function Panels({ overview, shown: { of, term } }: PanelsProps) {
  const { by = 'model', measure = 'money' } = useSearch({ from: '/usage' });
  const navigate = useNavigate({ from: '/usage' });
  const currency = useCurrency();
  const { period, totals, hours } = overview;
  if (totals.exchanges === 0) return <Nothing />;
  return (
    <Stack gap="md">
      <Totals {...{ overview, currency, of }} filter={toFilter(period, term)} />
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
        of={of}
        by={by}
        currency={currency}
        term={term}
        onChange={(chosen) =>
          void navigate({ search: (before) => ({ ...before, by: chosen }), replace: true })
        }
      />
      <div className={classes['columns']}>
        <Hours {...{ hours, period, currency, term }} />
        <Cache {...{ overview, currency, of }} />
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
