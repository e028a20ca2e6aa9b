import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import type { HistoryFilter } from '../../../shared/history.ts';
import { type Calls, useCalls } from '../../client/client.ts';
import { useLiveEvents } from '../../client/use-live.ts';
import { counted, countText } from '../../parts/figures.ts';
import { Steady } from './steady.ts';

const COUNTED_TO = 100_000;
const PAUSE_MS = 2_000;

/** How many exchanges the filter lets through, in words. */
export function Matches({ filter }: { readonly filter: HistoryFilter }) {
  const calls = useCalls();
  const { data, isError, isPlaceholderData } = useQuery(countOptions(calls, filter));
  useRecount(filter);
  if (data === undefined) return <span>{isError ? 'Not counted' : 'Counting…'}</span>;
  return (
    <span data-figures aria-busy={isPlaceholderData}>
      {data > COUNTED_TO
        ? `more than ${countText(COUNTED_TO)} exchanges`
        : counted(data, 'exchange')}
    </span>
  );
}

function countOptions(calls: Calls, filter: HistoryFilter) {
  return calls.history.count.queryOptions({
    input: { filter, upTo: COUNTED_TO + 1 },
    // Nobody recounts while the history is not on screen.
    staleTime: 0,
  });
}

function useRecount(filter: HistoryFilter): void {
  const calls = useCalls();
  const queries = useQueryClient();
  const steady = useMemo(() => {
    const { queryKey } = countOptions(calls, filter);
    return new Steady(() => queries.invalidateQueries({ queryKey, exact: true }), PAUSE_MS);
  }, [calls, queries, filter]);
  useEffect(() => () => steady.close(), [steady]);
  useLiveEvents(({ kind }) => {
    if (kind === 'history') steady.ask();
  });
}
