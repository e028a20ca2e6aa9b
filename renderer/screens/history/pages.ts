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
/** Maximum number of pages in memory; dropped ones are fetched again when the user scrolls back. */
const MAX_PAGES = 100;

type Ids = ReadonlySet<ExchangeId>;

/** A page's cursor, the cursors of the pages before it, and the exchanges of the very first page. */
interface PageCursor {
  readonly index: number;
  readonly before: ExchangeId | null;
  readonly previous: PageCursor | null;
  readonly top: Ids;
}

const NONE: Ids = new Set();
const TOP: PageCursor = { index: 0, before: null, previous: null, top: NONE };

/** Options of the infinite query for a filter. Its pages do not change until they are replaced: see `useNewest`. */
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

/** Returns the exchanges of the very first page, also after it was dropped from memory. */
function newestIds(data: InfiniteData<HistoryPage, PageCursor> | undefined): Ids {
  const [place] = data?.pageParams ?? [];
  const [page] = data?.pages ?? [];
  if (place === undefined || page === undefined) return NONE;
  return place.index === 0 ? toIds(page) : place.top;
}

/** Fetches the newest page. */
export function newestPage(calls: Calls, filter: HistoryFilter, signal: AbortSignal) {
  return calls.history.page.call({ filter, limit: PAGE_ROWS }, { signal });
}

/** The loaded rows of a filter. */
export interface Pages {
  readonly rows: readonly ExchangeSummary[];
  /** Number of rows above the first one loaded. */
  readonly above: number;
  /** The exchanges on the very first page. */
  readonly top: Ids;
  /** `stale`: the rows still belong to the previous filter. */
  readonly state: 'loading' | 'stale' | 'ready' | 'failed';
  /** Why the first or a further page could not be loaded. */
  readonly error: unknown;
  readonly hasMore: boolean;
  readonly loadBelow: () => void;
  readonly loadAbove: () => void;
  readonly retry: () => void;
  /** Replaces all pages by this one: the list starts again with it. */
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
      // A page that is still loading would restore the old ones.
      await queries.cancelQueries({ queryKey, exact: true });
      const pages: InfiniteData<HistoryPage, PageCursor> = { pages: [page], pageParams: [TOP] };
      queries.setQueryData(queryKey, pages);
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
