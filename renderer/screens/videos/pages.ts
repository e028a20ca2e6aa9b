import { type InfiniteData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo } from 'react';
import type { VideoFilter, VideoId, VideoJob, VideoPage } from '../../../shared/video/video.ts';
import { useCalls } from '../../api/client.ts';
import { type Pager, toPager } from '../../api/pager.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { SerialRefresher } from '../../hooks/serial-refresher.ts';

const PAGE_JOBS = 60;
/** Minimum interval between refreshes of the pages. */
const PAUSE_MS = 400;

type CachedPages = InfiniteData<VideoPage, VideoId | null>;

/** The loaded jobs of a filter. */
export interface Pages extends Pager {
  readonly jobs: readonly VideoJob[];
  /** Counts of all jobs, independent of the filter. */
  readonly counts: VideoPage['counts'] | undefined;
}

/** Loads page by page and refreshes the visible ones. `seen`: indexes of the first and the last visible job. */
export function usePages(
  filter: VideoFilter,
  seen: React.RefObject<readonly [number, number]>,
): Pages {
  const calls = useCalls();
  const options = useMemo(
    () =>
      calls.videos.page.infiniteOptions({
        input: (after: VideoId | null) => pageInput(filter, after),
        initialPageParam: null,
        getNextPageParam: (page): VideoId | null => page.next,
        // Refreshed below, because fetching all pages each time would take too long.
        staleTime: 'static' as const,
        gcTime: 0,
      }),
    [calls, filter],
  );
  const query = useInfiniteQuery(options);
  const { data } = query;
  const pager = toPager(query);
  useRefreshVisible({ filter, seen, queryKey: options.queryKey });
  useLiveEvents(({ kind }) => {
    // After a reconnect a failed page is loaded again by itself.
    if (kind === 'hello' && pager.error !== null) pager.retry();
  });
  return {
    jobs: useMemo(() => listJobs(data), [data]),
    counts: data?.pages[0]?.counts,
    ...pager,
  };
}

function pageInput(filter: VideoFilter, after: VideoId | null) {
  return { filter, limit: PAGE_JOBS, ...(after === null ? {} : { after }) };
}

/** Removes duplicates: a job may move from one page to another between two fetches. */
function listJobs(data: CachedPages | undefined): readonly VideoJob[] {
  const jobs = data?.pages.flatMap((page) => page.jobs) ?? [];
  return [...new Map(jobs.map((job) => [job.id, job])).values()];
}

interface RefreshOptions {
  readonly filter: VideoFilter;
  readonly seen: React.RefObject<readonly [number, number]>;
  readonly queryKey: readonly unknown[];
}

/** Fetches the first page and the visible ones again after a change, one refresh at a time. */
function useRefreshVisible({ filter, seen, queryKey }: RefreshOptions): void {
  const calls = useCalls();
  const queries = useQueryClient();
  const refreshChanged = useCallback(async () => {
    const [first, last] = seen.current.map((place) => Math.floor(place / PAGE_JOBS));
    const cached = queries.getQueryData<CachedPages>(queryKey);
    for (const [index, after] of cached?.pageParams.entries() ?? []) {
      if (index !== 0 && (index < (first ?? 0) || index > (last ?? 0))) continue;
      const page = await calls.videos.page.call(pageInput(filter, after));
      queries.setQueryData<CachedPages>(queryKey, (now) =>
        now?.pageParams[index] === after ? replacePage(now, { index, page, last: last ?? 0 }) : now,
      );
    }
  }, [calls, queries, queryKey, filter, seen]);
  const refresher = useMemo(
    // A failed page is fetched again at the next event; a lost engine has its own notice.
    () => new SerialRefresher(() => refreshChanged().catch(() => undefined), PAUSE_MS),
    [refreshChanged],
  );
  useEffect(() => () => refresher.close(), [refresher]);
  useLiveEvents((event) => {
    if (event.kind === 'hello' || (event.kind === 'changed' && event.topic === 'videos')) {
      refresher.request();
    }
  });
}

/**
 * Replaces a page. Following pages that no longer connect to it are dropped if they are out of view, and fetched again
 * on scrolling.
 */
export function replacePage(
  cached: CachedPages,
  {
    index,
    page,
    last,
  }: { readonly index: number; readonly page: VideoPage; readonly last: number },
): CachedPages {
  const joins = cached.pages[index]?.next === page.next;
  const pages = cached.pages.map((before, place) => (place === index ? page : before));
  const count = joins || index < last ? pages.length : index + 1;
  return { pages: pages.slice(0, count), pageParams: cached.pageParams.slice(0, count) };
}
