import {
  type InfiniteData,
  useInfiniteQuery,
  type UseInfiniteQueryResult,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { ExchangeId } from '../../../shared/exchange.ts';
import type { ExchangeSummary, HistoryFilter, HistoryPage } from '../../../shared/history.ts';
import { type Calls, useCalls } from '../../api/client.ts';

const PAGE_ROWS = 200;
/** So many pages are held at a time; those that were left behind are fetched again on the way back. */
const MAX_PAGES = 100;

type Ids = ReadonlySet<ExchangeId>;

/** Where a page begins, the way back from there, and what stood on the very first page. */
interface PageCursor {
  readonly index: number;
  readonly before: ExchangeId | null;
  readonly previous: PageCursor | null;
  readonly top: Ids;
}

const NONE: Ids = new Set();
const TOP: PageCursor = { index: 0, before: null, previous: null, top: NONE };

/** The pages of a filter as options for TanStack Query. They stay as they are until somebody replaces them: see `useNewest`. */
export function pagesOptions(calls: Calls, filter: HistoryFilter) {
  return calls.history.page.infiniteOptions({
    input: ({ before }: PageCursor) => ({
      filter,
      limit: PAGE_ROWS,
      ...(before === null ? {} : { before }),
    }),
    initialPageParam: TOP,
    getNextPageParam: (page, _pages, place): PageCursor | undefined => {
      if (page.next === null) return undefined;
      const top = place.index === 0 ? toIds(page) : place.top;
      return { index: place.index + 1, before: page.next, previous: place, top };
    },
    getPreviousPageParam: (_page, _pages, place) => place.previous ?? undefined,
    maxPages: MAX_PAGES,
    staleTime: 'static' as const,
    structuralSharing: false,
  });
}

function toIds({ exchanges }: HistoryPage): Ids {
  return new Set(exchanges.map(({ id }) => id));
}

/** The exchanges of the very first page, also while it is not held any more. */
function newestIds(data: InfiniteData<HistoryPage, PageCursor> | undefined): Ids {
  const [place] = data?.pageParams ?? [];
  const [page] = data?.pages ?? [];
  if (place === undefined || page === undefined) return NONE;
  return place.index === 0 ? toIds(page) : place.top;
}

/** Asks for the newest page as it is now. */
export function newestPage(calls: Calls, filter: HistoryFilter, signal: AbortSignal) {
  return calls.history.page.call({ filter, limit: PAGE_ROWS }, { signal });
}

/** The rows of a filter, as far as they are loaded. */
export interface Pages {
  readonly rows: readonly ExchangeSummary[];
  /** How many rows stand above the first one loaded. */
  readonly above: number;
  /** The exchanges on the very first page. */
  readonly top: Ids;
  /** `stale`: the rows still belong to the filter before. */
  readonly state: 'loading' | 'stale' | 'ready' | 'failed';
  /** Why the first or a further page could not be had. */
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly loadBelow: () => void;
  readonly loadAbove: () => void;
  readonly retry: () => void;
  /** Makes this page the only one: the list begins anew with it. */
  readonly beginWith: (page: HistoryPage) => Promise<void>;
}

/** Loads the rows of a filter page by page, never two pages at once. */
export function usePages(filter: HistoryFilter): Pages {
  const calls = useCalls();
  const queries = useQueryClient();
  const options = useMemo(() => pagesOptions(calls, filter), [calls, filter]);
  const query = useInfiniteQuery(options);
  const { data, isFetching, isError, hasNextPage, hasPreviousPage } = query;
  const rows = useMemo(() => data?.pages.flatMap(({ exchanges }) => exchanges) ?? [], [data]);
  const beginWith = useCallback(
    async (page: HistoryPage) => {
      const { queryKey } = options;
      // A page that is still on its way would bring the old ones back.
      await queries.cancelQueries({ queryKey, exact: true });
      const whole: InfiniteData<HistoryPage, PageCursor> = { pages: [page], pageParams: [TOP] };
      queries.setQueryData(queryKey, whole);
    },
    [queries, options],
  );
  const idle = !isFetching && !isError;
  return {
    rows,
    top: useMemo(() => newestIds(data), [data]),
    above: (data?.pageParams[0]?.index ?? 0) * PAGE_ROWS,
    state: toState(query),
    error: query.error,
    hasMore: hasNextPage,
    loadBelow: () => void (idle && hasNextPage && query.fetchNextPage()),
    loadAbove: () => void (idle && hasPreviousPage && query.fetchPreviousPage()),
    retry: () => void refetch(query),
    beginWith,
  };
}

function refetch(query: UseInfiniteQueryResult): Promise<unknown> {
  if (query.isFetchNextPageError) return query.fetchNextPage();
  return query.isFetchPreviousPageError ? query.fetchPreviousPage() : query.refetch();
}

function toState(query: {
  readonly isPlaceholderData: boolean;
  readonly data: unknown;
  readonly isError: boolean;
}): Pages['state'] {
  if (query.isPlaceholderData) return 'stale';
  if (query.data !== undefined) return 'ready';
  return query.isError ? 'failed' : 'loading';
}
