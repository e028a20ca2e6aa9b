import { keepPreviousData, QueryClient } from '@tanstack/react-query';
import type { LiveEvent } from '../../shared/status.ts';
import type { Calls } from './client.ts';

/** How long a call that changed something is remembered after its screen has gone. */
const FORGOTTEN_AFTER_MS = 1_000;

/** What was asked once is kept until the engine says that it changed. */
export function openQueries(): QueryClient {
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
      mutations: { networkMode: 'always', retry: false, gcTime: FORGOTTEN_AFTER_MS },
    },
  });
}

/** Of queries of what is on screen. */
const ON_ITS_WAY = { type: 'active', fetchStatus: 'fetching' } as const;

/** Sums over the history are asked for again at most this often. */
const SUMS_PAUSE_MS = 1_000;

/** Videos on their way change with every piece that comes in. */
const VIDEOS_PAUSE_MS = 400;

/** Keeps what is on screen true: each event makes the queries stale that it is about. The pages of the history and of the videos are those screens' own affair. */
export function freshener(queries: QueryClient, calls: Calls): (event: LiveEvent) => void {
  let sumsDue = false;
  const stale = (queryKey: readonly unknown[] = []): void => {
    // Of itself, only what was here before is asked for anew; what is asked for the first time may bring what was before.
    for (const query of queries.getQueryCache().findAll({ queryKey, ...ON_ITS_WAY })) {
      if (query.state.data === undefined) void query.cancel({ silent: true });
    }
    void queries.invalidateQueries({ queryKey });
  };
  const sums = (): void => {
    sumsDue = false;
    stale(calls.home.key());
    stale(calls.clients.key());
    stale(calls.models.list.key());
    stale(calls.history.names.key());
  };
  let videosDue = false;
  const videos = (): void => {
    videosDue = false;
    // Addresses of files stay as they are.
    stale(calls.videos.page.key({ type: 'query' }));
    stale(calls.videos.get.key());
    stale(calls.videos.presets.key());
    stale(calls.videos.fields.key());
  };
  return (event) => {
    switch (event.kind) {
      case 'hello':
        // After a break nothing that is on screen can be trusted.
        stale();
        return;
      case 'history':
        if (!sumsDue) setTimeout(sums, SUMS_PAUSE_MS);
        sumsDue = true;
        return;
      case 'running':
        return;
      case 'changed':
        if (event.what === 'videos') {
          if (!videosDue) setTimeout(videos, VIDEOS_PAUSE_MS);
          videosDue = true;
          return;
        }
        if (event.what === 'chat') {
          stale(calls.chat.page.key());
          return;
        }
        stale(calls[event.what].key());
        stale(calls.status.get.key());
        // What needs attention depends on keys and services, too.
        stale(calls.home.key());
        if (event.what === 'upstreams') stale(calls.models.key());
        // What becomes of a wrong name depends on whether there are repairs.
        if (event.what === 'settings') stale(calls.models.explain.key());
    }
  };
}
