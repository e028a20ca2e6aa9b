import { Skeleton, Stack, Text } from '@mantine/core';
import { useThrottledCallback } from '@mantine/hooks';
import { IconArrowsExchange } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../client/client.ts';
import { useLiveEvents, useRunning } from '../../client/use-live.ts';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useListKeys } from '../../parts/list-keys.ts';
import { Panel } from '../../parts/panel.tsx';
import { ScreenLink } from '../../parts/screen-link.tsx';
import { EndedRow, RunningRow } from './latest-row.tsx';
import classes from './latest.module.css';

const SHOWN = 8;
const RUNNING_SHOWN = 5;
const ASK_PAUSE_MS = 500;

/** What is on its way, then the newest of the history. */
export function Latest() {
  const query = useLatest();
  const running = useRunning();
  const ended = query.data?.exchanges;
  const { list, onKeyDown, rowProps } = useListKeys<HTMLUListElement>({
    count: ended?.length ?? 0,
  });
  const ids = new Set(ended?.map(({ id }) => id));
  // One that has just ended is already written down for a moment before the engine says that it runs no more.
  const underway = running.exchanges.filter(({ id }) => !ids.has(id));
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
      {ended?.length === 0 && running.total === 0 && <Nothing />}
      <ul className={classes['list']} ref={list} onKeyDown={onKeyDown}>
        {underway.slice(0, RUNNING_SHOWN).map((exchange) => (
          <RunningRow key={exchange.id} exchange={exchange} />
        ))}
        {ended?.map((exchange, row) => (
          <EndedRow key={exchange.id} exchange={exchange} rowProps={rowProps(row)} />
        ))}
      </ul>
      {running.total > RUNNING_SHOWN && (
        <Text size="xs" c="dimmed" mt="xs">
          {running.total} are running; the newest {RUNNING_SHOWN} are shown.
        </Text>
      )}
    </Panel>
  );
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
