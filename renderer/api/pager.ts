import type { UseInfiniteQueryResult } from '@tanstack/react-query';

/** What a list needs of the query that loads its pages. */
export interface Pager {
  /** Why the first or a further page could not be loaded. */
  readonly error: unknown;
  readonly hasMore: boolean;
  /** Loads the next page, unless one is being loaded or could not be loaded. */
  readonly loadMore: () => void;
  /** Loads again what could not be loaded. */
  readonly retry: () => void;
}

export function toPager(query: UseInfiniteQueryResult): Pager {
  const { error, isFetching, isError, hasNextPage } = query;
  return {
    error,
    hasMore: hasNextPage,
    loadMore: () => void (!isFetching && !isError && hasNextPage && query.fetchNextPage()),
    retry: () => void loadAgain(query),
  };
}

function loadAgain(query: UseInfiniteQueryResult): Promise<unknown> {
  if (query.isFetchNextPageError) return query.fetchNextPage();
  return query.isFetchPreviousPageError ? query.fetchPreviousPage() : query.refetch();
}
