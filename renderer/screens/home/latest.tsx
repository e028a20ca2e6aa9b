import { Skeleton, Stack } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ExchangeSummary } from '../../../shared/history.ts';
import { useCalls } from '../../client/client.ts';
import { useLiveEvents } from '../../client/use-live.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useListKeys } from '../../parts/list-keys.ts';
import { Panel } from '../../parts/panel.tsx';
import { ScreenLink } from '../../parts/screen-link.tsx';
import { useUnderway } from '../../parts/use-underway.ts';
import { EndedRow, RunningRow } from './latest-row.tsx';
import classes from './latest.module.css';

const SHOWN = 8;
const NO_FILTER = {};
const ASK_PAUSE_MS = 500;

/** What is on its way, then the newest of the history. */
export function Latest() {
  const query = useLatest();
  const ended = query.data?.exchanges;
  const underway = useOnTheirWay(ended);
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
        <Failure
          title="The latest requests could not be read."
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

function useOnTheirWay(ended: readonly ExchangeSummary[] | undefined) {
  const written = useMemo(() => new Set(ended?.map(({ id }) => id)), [ended]);
  return useUnderway(NO_FILTER, written, true).exchanges;
}

function useLatest() {
  const input = { filter: {}, limit: SHOWN };
  const query = useQuery(useCalls().history.page.queryOptions({ input }));
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
    <Empty icon={IconArrowsExchange} title="No requests yet">
      Connect a program in{' '}
      <ScreenLink to="/clients" size="sm" underline="always">
        Clients
      </ScreenLink>
      , or let the{' '}
      <ScreenLink to="/welcome" size="sm" underline="always">
        first steps
      </ScreenLink>{' '}
      lead you. Each request appears here as it comes in.
    </Empty>
  );
}
