import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import { matchesFilter } from '../../../shared/filter-language/matches-filter.ts';
import type { HistoryFilter, RunningExchange } from '../../../shared/history/history.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { formatMatchCount, MAX_COUNTED } from './format-match-count.ts';
import { SerialRefresher } from '../../hooks/serial-refresher.ts';
import { useInFlightRows } from '../../hooks/use-in-flight-rows.ts';

const PAUSE_MS = 2_000;
const NONE: ReadonlySet<ExchangeId> = new Set();

/** Formats the number of matching exchanges as text. */
export function MatchCount({ filter }: { readonly filter: HistoryFilter }) {
  const calls = useCalls();
  const { data, isError, isPlaceholderData } = useQuery(countOptions(calls, filter));
  useRecount(filter);
  const isRunning = useRunning(filter);
  if (data === undefined) return <span>{isError ? 'Not counted' : 'Counting…'}</span>;
  return (
    <span data-figures aria-busy={isPlaceholderData}>
      {data === 0 && isRunning ? 'No request has ended yet' : formatMatchCount(data)}
    </span>
  );
}

/** Tells whether the list shows exchanges in progress. */
function useRunning(filter: HistoryFilter): boolean {
  const matches = useCallback(
    (exchange: RunningExchange) => matchesFilter(exchange, filter),
    [filter],
  );
  return useInFlightRows(matches, NONE, true).exchanges.length > 0;
}

function countOptions(calls: Calls, filter: HistoryFilter) {
  return calls.history.count.queryOptions({
    input: { filter, upTo: MAX_COUNTED + 1 },
    // Not counted while the history is not on screen.
    staleTime: 0,
  });
}

/** Counts again after changes. A change just before another filter is counted with that one. */
function useRecount(filter: HistoryFilter): void {
  const calls = useCalls();
  const queries = useQueryClient();
  const { queryKey } = countOptions(calls, filter);
  const latestKey = useRef(queryKey);
  useEffect(() => {
    latestKey.current = queryKey;
  });
  const refresher = useMemo(
    () =>
      new SerialRefresher(
        () => queries.invalidateQueries({ queryKey: latestKey.current, exact: true }),
        PAUSE_MS,
      ),
    [queries],
  );
  useEffect(() => () => refresher.close(), [refresher]);
  useLiveEvents((event) => {
    const isMarked = event.kind === 'changed' && event.topic === 'exchanges';
    if (event.kind === 'history' || isMarked) refresher.request();
  });
}
