import {
  type InfiniteData,
  type QueryClient,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useCallback, useMemo } from 'react';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type {
  ExchangeSummary,
  HistoryCursor,
  HistoryFilter,
  HistoryPage,
} from '../../../shared/history/history.ts';
import { type Calls, useCalls } from '../../api/client.ts';
import { toPager } from '../../api/pager.ts';

const PAGE_ROWS = 200;
/** Maximum number of pages in memory; dropped ones are fetched again when the user scrolls back. */
const MAX_PAGES = 100;

type Ids = ReadonlySet<ExchangeId>;

/** A page's cursor, the number of rows above it, the cursors of the pages before it, and the exchanges of the very first page. */
interface PageCursor {
  readonly index: number;
  readonly before: HistoryCursor | null;
  readonly above: number;
  readonly previous: PageCursor | null;
  readonly top: Ids;
}

const NONE: Ids = new Set();
const TOP: PageCursor = { index: 0, before: null, above: 0, previous: null, top: NONE };

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
      const above = place.above + page.exchanges.length;
      return { index: place.index + 1, before: page.next, above, previous: place, top };
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
function newestIds(data: LoadedPages | undefined): Ids {
  const [place] = data?.pageParams ?? [];
  const [page] = data?.pages ?? [];
  if (place === undefined || page === undefined) return NONE;
  return place.index === 0 ? toIds(page) : place.top;
}

/** Fetches the newest page. */
export function newestPage(calls: Calls, filter: HistoryFilter, signal: AbortSignal) {
  return calls.history.page.call({ filter, limit: PAGE_ROWS }, { signal });
}

type LoadedPages = InfiniteData<HistoryPage, PageCursor>;

/** Returns the pages with the marks as they are now, and without exchanges that there are not any more. `asked`: those that were asked for; `known`: those that there are. */
function withMarks(
  { pages, pageParams }: LoadedPages,
  asked: Ids,
  known: ReadonlyMap<ExchangeId, ExchangeSummary['mark']>,
): LoadedPages {
  const changed = pages.map(({ exchanges, next }) => ({
    exchanges: exchanges
      .filter(({ id }) => known.has(id) || !asked.has(id))
      .map((row) => (asked.has(row.id) ? { ...row, mark: known.get(row.id) ?? null } : row)),
    next,
  }));
  let above = pageParams[0]?.above ?? 0;
  const places = pageParams.map((place, at) => {
    const moved = { ...place, above };
    above += changed[at]?.exchanges.length ?? 0;
    return moved;
  });
  return { pages: changed, pageParams: places };
}

/** Ids in one call. */
const MARKS_AT_ONCE = 500;

/**
 * Reads the marks of the loaded rows again. Resolves with a function that puts them there and returns whether they may be lost, because a
 * page was being loaded.
 */
export async function readMarks(
  queries: QueryClient,
  calls: Calls,
  { filter, signal }: { readonly filter: HistoryFilter; readonly signal: AbortSignal },
): Promise<() => boolean> {
  const { queryKey } = pagesOptions(calls, filter);
  const ids = queries.getQueryData(queryKey)?.pages.flatMap((page) => [...toIds(page)]) ?? [];
  const known = new Map<ExchangeId, ExchangeSummary['mark']>();
  for (let at = 0; at < ids.length; at += MARKS_AT_ONCE) {
    const some = ids.slice(at, at + MARKS_AT_ONCE);
    for (const { id, mark } of await calls.history.marks.call({ ids: some }, { signal })) {
      known.set(id, mark);
    }
  }
  return () => {
    queries.setQueryData(queryKey, (now) => now && withMarks(now, new Set(ids), known));
    return queries.isFetching({ queryKey, exact: true }) > 0;
  };
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
  const { data, isFetching, isError, hasPreviousPage } = query;
  const { error, hasMore, loadMore, retry } = toPager(query);
  const rows = useMemo(() => data?.pages.flatMap(({ exchanges }) => exchanges) ?? [], [data]);
  const beginWith = useCallback(
    async (page: HistoryPage) => {
      const { queryKey } = options;
      // A page that is still loading would restore the old ones.
      await queries.cancelQueries({ queryKey, exact: true });
      const pages: LoadedPages = { pages: [page], pageParams: [TOP] };
      queries.setQueryData(queryKey, pages);
    },
    [queries, options],
  );
  return {
    rows,
    top: useMemo(() => newestIds(data), [data]),
    above: data?.pageParams[0]?.above ?? 0,
    state: toState(query),
    error,
    hasMore,
    loadBelow: loadMore,
    loadAbove: () => void (!isFetching && !isError && hasPreviousPage && query.fetchPreviousPage()),
    retry,
    beginWith,
  };
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
