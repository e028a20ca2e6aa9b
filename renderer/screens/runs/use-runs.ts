import { useInfiniteQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { RunFilter } from '../../../shared/run/run.ts';
import { useCalls } from '../../api/client.ts';
import { later } from '../../api/later.ts';
import { toPager } from '../../api/pager.ts';
import { useBodySearch } from '../../hooks/use-body-search.ts';
import { useLiveEvents } from '../../api/use-live.ts';

const PAGE_SIZE = 50;
/** A step gets its place in a run a moment after it ended, so runs are loaded again with a pause. */
const PAUSE_MS = 1_000;
const FIRST: string | null = null;

interface RunSearch {
  /** Empty for none. */
  readonly words: string;
  readonly single: boolean;
  /** Whether the words are searched for in requests and responses. */
  readonly bodies: boolean;
}

/** Finds runs by words: in what the list shows, or in their requests and responses. */
export function useFoundRuns({ words, single, bodies }: RunSearch) {
  const bodySearch = useBodySearch(bodies && words !== '' ? [words] : []);
  const text = bodies ? '' : words;
  const query = useRuns(
    bodySearch === null ? { text, single } : { exchanges: [...bodySearch.ids], single },
  );
  return { query, bodySearch };
}

/** Lists runs, the latest first, and again when the history grew. */
function useRuns(filter: RunFilter) {
  const query = useInfiniteQuery(
    useCalls().history.runs.infiniteOptions({
      input: (before: string | null) => ({ filter, limit: PAGE_SIZE, before }),
      initialPageParam: FIRST,
      getNextPageParam: (page) => page.next,
    }),
  );
  const { refetch } = query;
  const refresh = useMemo(() => later(PAUSE_MS, () => void refetch()), [refetch]);
  useLiveEvents((event) => {
    // Costs that are computed again change the exchanges.
    const isChanged = event.kind === 'changed' && event.topic === 'exchanges';
    if (event.kind === 'history' || isChanged) refresh();
  });
  return {
    ...query,
    ...toPager(query),
    matches: new Map(query.data?.pages.flatMap(({ matches }) => Object.entries(matches))),
    runs: query.data?.pages.flatMap((page) => page.runs) ?? [],
  };
}
