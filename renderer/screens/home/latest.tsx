import { Skeleton, Stack } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ExchangeSummary } from '../../../shared/history/history.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { useListKeys } from '../../hooks/keyboard/use-list-keys.ts';
import { Panel } from '../../components/panel.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { useInFlightRows } from '../../hooks/use-in-flight-rows.ts';
import { EndedRow, RunningRow } from './latest-row.tsx';
import classes from './latest.module.css';

const SHOWN = 8;
const matchesAll = () => true;
const ASK_PAUSE_MS = 500;

/** Lists the exchanges in progress, then the newest of the history. */
export function Latest() {
  const query = useLatest();
  const ended = query.data?.exchanges;
  const underway = useRunningRows(ended);
  const { list, onKeyDown, rowProps } = useListKeys<HTMLUListElement>({
    count: ended?.length ?? 0,
  });
  return (
    <Panel
      title="Latest requests"
      aside={
        <ScreenLink to="/history" size="sm">
          History
        </ScreenLink>
      }
    >
      {ended === undefined && query.isError && (
        <ErrorState
          title="Could not load the latest requests."
          error={query.error}
          onRetry={() => void query.refetch()}
        />
      )}
      {ended === undefined && query.isPending && <Waiting />}
      {ended?.length === 0 && underway.length === 0 && <Nothing />}
      <ul className={classes['list']} ref={list} onKeyDown={onKeyDown}>
        {underway.map((exchange) => (
          <RunningRow key={exchange.id} exchange={exchange} />
        ))}
        {ended?.map((exchange, row) => (
          <EndedRow key={exchange.id} exchange={exchange} rowProps={rowProps(row)} />
        ))}
      </ul>
    </Panel>
  );
}

function useRunningRows(ended: readonly ExchangeSummary[] | undefined) {
  const written = useMemo(() => new Set(ended?.map(({ id }) => id)), [ended]);
  return useInFlightRows(matchesAll, written, true).exchanges;
}

function useLatest() {
  const input = { filter: {}, limit: SHOWN };
  // No one listens for new requests while another screen is shown, so the cached page may be outdated on arrival.
  const options = useCalls().history.page.queryOptions({ input, refetchOnMount: 'always' });
  const query = useQuery(options);
  const ask = useThrottledCallback(() => void query.refetch(), ASK_PAUSE_MS);
  useLiveEvents(({ kind }) => {
    if (kind === 'history') ask();
  });
  return query;
}

function Waiting() {
  return (
    <Stack gap={6}>
      {Array.from({ length: SHOWN }, (_, row) => (
        <Skeleton key={row} h={30} />
      ))}
    </Stack>
  );
}

function Nothing() {
  return (
    <EmptyState icon={IconArrowsExchange} title="No requests yet">
      Connect a program in{' '}
      <ScreenLink to="/clients" size="sm" underline="always">
        Clients
      </ScreenLink>
      , or follow the{' '}
      <ScreenLink to="/welcome" size="sm" underline="always">
        first steps
      </ScreenLink>
      . Each request appears here as it arrives.
    </EmptyState>
  );
}
