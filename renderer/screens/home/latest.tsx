import { Group, Skeleton, Stack } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { IconArrowsExchange } from '@tabler/icons-react';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import { SANDBOX_ID } from '../../../shared/sandbox-id.ts';
import type {
  ExchangeSummary,
  HistoryFilter,
  RunningExchange,
} from '../../../shared/history/history.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { EmptyState } from '../../components/states/empty-state.tsx';
import { ErrorState } from '../../components/states/error-state.tsx';
import { useListKeys } from '../../hooks/keyboard/use-list-keys.ts';
import { Panel } from '../../components/panel.tsx';
import { ScopeNote, useScopeFilter } from '../../components/scope-note.tsx';
import { ScreenLink } from '../../components/screen-link.tsx';
import { useInFlightRows } from '../../hooks/use-in-flight-rows.ts';
import { EndedRow, RunningRow } from './latest-row.tsx';
import classes from './latest.module.css';

const SHOWN = 8;
const ASK_PAUSE_MS = 500;

/** Lists the exchanges in progress, then the newest of the history, of what the totals beside it cover. */
export function Latest() {
  const filter = useScopeFilter();
  const query = useLatest(filter);
  const ended = query.data?.exchanges;
  const underway = useRunningRows(ended, filter);
  const { list, onKeyDown, rowProps } = useListKeys<HTMLUListElement>({
    count: ended?.length ?? 0,
  });
  return (
    <Panel
      title="Latest requests"
      aside={
        <Group gap="sm">
          <ScopeNote />
          <ScreenLink to="/history" size="sm">
            History
          </ScreenLink>
        </Group>
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

function useRunningRows(
  ended: readonly ExchangeSummary[] | undefined,
  filter: HistoryFilter | null,
) {
  const written = useMemo(() => new Set(ended?.map(({ id }) => id)), [ended]);
  const matches = useCallback(
    ({ service }: RunningExchange) => filter !== null && isCovered(service, filter),
    [filter],
  );
  return useInFlightRows(matches, written, true).exchanges;
}

/** Whether a filter of {@link useScopeFilter} lets an exchange of a service pass. */
function isCovered(service: string | null, { services, not }: HistoryFilter): boolean {
  if (services !== undefined) return service === SANDBOX_ID;
  return not === undefined || service !== SANDBOX_ID;
}

function useLatest(filter: HistoryFilter | null) {
  const input = filter === null ? skipToken : { filter, limit: SHOWN };
  // No one listens for new requests while another screen is shown, so the cached page may be outdated on arrival.
  const options = useCalls().history.page.queryOptions({ input, refetchOnMount: 'always' });
  const query = useQuery(options);
  const ask = useThrottledCallback(() => void query.refetch(), ASK_PAUSE_MS);
  useLiveEvents(({ kind }) => {
    if (kind === 'history' && filter !== null) ask();
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
