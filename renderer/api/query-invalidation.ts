import { keepPreviousData, QueryClient } from '@tanstack/react-query';
import type { LiveEvent } from '../../shared/status.ts';
import type { Calls } from './client.ts';

/** How long a call that changed something is remembered after its screen has gone. */
const MUTATION_GC_MS = 1_000;

/** What was asked once is kept until the engine says that it changed. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Infinity,
        gcTime: 5 * 60_000,
        retry: false,
        refetchOnWindowFocus: false,
        networkMode: 'always',
        placeholderData: keepPreviousData,
      },
      // What was sent and what came back may hold a key: it goes with the dialog that it belongs to.
      mutations: { networkMode: 'always', retry: false, gcTime: MUTATION_GC_MS },
    },
  });
}

/** Of queries of what is on screen. */
const ACTIVE_QUERIES = { type: 'active', fetchStatus: 'fetching' } as const;

/** Sums over the history are asked for again at most this often. */
const SUMS_PAUSE_MS = 1_000;

/** Videos on their way change with every piece that comes in. */
const VIDEOS_PAUSE_MS = 400;

/** Keeps what is on screen true: each event makes the queries stale that it is about. The pages of the history and of the videos are those screens' own affair. */
export function createInvalidator(queries: QueryClient, calls: Calls): (event: LiveEvent) => void {
  let isSumsRefreshDue = false;
  const invalidate = (queryKey: readonly unknown[] = []): void => {
    // Of itself, only what was here before is asked for anew; what is asked for the first time may bring what was before.
    for (const query of queries.getQueryCache().findAll({ queryKey, ...ACTIVE_QUERIES })) {
      if (query.state.data === undefined) void query.cancel({ silent: true });
    }
    void queries.invalidateQueries({ queryKey });
  };
  const sums = (): void => {
    isSumsRefreshDue = false;
    invalidate(calls.home.key());
    invalidate(calls.clients.key());
    invalidate(calls.models.list.key());
    invalidate(calls.history.names.key());
  };
  let isVideosRefreshDue = false;
  const videos = (): void => {
    isVideosRefreshDue = false;
    // Addresses of files stay as they are.
    invalidate(calls.videos.page.key({ type: 'query' }));
    invalidate(calls.videos.get.key());
    invalidate(calls.videos.presets.key());
    invalidate(calls.videos.fields.key());
  };
  return (event) => {
    switch (event.kind) {
      case 'hello':
        // After a break nothing that is on screen can be trusted.
        invalidate();
        return;
      case 'history':
        if (!isSumsRefreshDue) setTimeout(sums, SUMS_PAUSE_MS);
        isSumsRefreshDue = true;
        return;
      case 'running':
        return;
      case 'changed':
        if (event.what === 'videos') {
          if (!isVideosRefreshDue) setTimeout(videos, VIDEOS_PAUSE_MS);
          isVideosRefreshDue = true;
          return;
        }
        if (event.what === 'chat') {
          invalidate(calls.chat.page.key());
          return;
        }
        invalidate(calls[event.what].key());
        invalidate(calls.status.get.key());
        // What needs attention depends on keys and services, too.
        invalidate(calls.home.key());
        if (event.what === 'upstreams') invalidate(calls.models.key());
        // What becomes of a wrong name depends on whether there are repairs.
        if (event.what === 'settings') invalidate(calls.models.explain.key());
    }
  };
}
