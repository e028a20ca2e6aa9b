import { keepPreviousData, QueryClient } from '@tanstack/react-query';
import type { LiveEvent } from '../../shared/status.ts';
import type { Calls } from './client.ts';
import { later } from './later.ts';

/** How long the result of a mutation is cached after its screen has been left. */
const MUTATION_GC_MS = 1_000;

/** Creates the query cache. A result is used until the engine reports a change. */
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
      // Input and output may contain a key: both are dropped with the dialog that they belong to.
      mutations: { networkMode: 'always', retry: false, gcTime: MUTATION_GC_MS },
    },
  });
}

/** Matches queries of mounted components whose fetch is in progress. */
const ACTIVE_QUERIES = { type: 'active', fetchStatus: 'fetching' } as const;

/** Minimum interval between refreshes of sums over the history. */
const SUMS_PAUSE_MS = 1_000;

/** Minimum interval between refreshes for videos, which change with every chunk of a download. */
const VIDEOS_PAUSE_MS = 400;

/**
 * Invalidates the queries that an engine event is about. The pages of the history and of the videos are refreshed by
 * their own screens.
 */
export function createInvalidator(queries: QueryClient, calls: Calls): (event: LiveEvent) => void {
  const invalidate = (queryKey: readonly unknown[] = []) => invalidateKey(queries, queryKey);
  const refreshSums = later(SUMS_PAUSE_MS, () => {
    invalidate(calls.home.key());
    invalidate(calls.clients.key());
    invalidate(calls.models.list.key());
    invalidate(calls.history.names.key());
    // It says when the service answered last.
    invalidate(calls.status.get.key());
  });
  const refreshVideos = later(VIDEOS_PAUSE_MS, () => {
    // URLs of files do not change.
    invalidate(calls.videos.page.key({ type: 'query' }));
    invalidate(calls.videos.get.key());
    invalidate(calls.videos.presets.key());
    invalidate(calls.videos.fields.key());
  });
  return (event) => {
    switch (event.kind) {
      case 'hello':
        // Events may have been missed while disconnected, so everything on screen may be outdated.
        invalidate();
        return;
      case 'history':
        refreshSums();
        return;
      case 'running':
        return;
      case 'changed':
        if (event.topic === 'videos') {
          refreshVideos();
          return;
        }
        if (event.topic === 'holds') {
          invalidate(calls.clients.hold.list.key());
          return;
        }
        if (event.topic === 'exchanges') {
          invalidate(calls.history.get.key());
          invalidate(calls.history.run.key());
          invalidate(calls.history.names.key());
          return;
        }
        if (event.topic === 'chat') {
          invalidate(calls.chat.page.key());
          // Each answer is sent with the next message, so that one costs more.
          invalidate(calls.chat.estimate.key());
          return;
        }
        invalidate(calls[event.topic].key());
        invalidate(calls.status.get.key());
        // The attention items depend on keys and services, too.
        invalidate(calls.home.key());
        for (const queryKey of listDependents(event.topic, calls)) invalidate(queryKey);
    }
  };
}

/** Lists the keys of other queries whose results depend on what has changed. */
function listDependents(
  topic: Extract<LiveEvent, { kind: 'changed' }>['topic'],
  { chat, clients, connections, doctor, history, models, prices, usage }: Calls,
): readonly (readonly unknown[])[] {
  switch (topic) {
    case 'clients':
      return [
        connections.list.key(),
        connections.diagnose.key(),
        doctor.run.key({ input: { part: 'programs' } }),
      ];
    case 'upstreams':
      // The sums are those of the service in use or of the sandbox.
      return [
        chat.estimate.key(),
        history.estimateReplay.key(),
        clients.key(),
        doctor.run.key({ input: { part: 'service' } }),
        models.key(),
        prices.key(),
        usage.key(),
      ];
    case 'settings':
      // The resolution of a wrong model name depends on whether repairs are on.
      return [models.explain.key()];
    case 'prices':
      // Exchanges of which the price became known are charged afterwards.
      return [chat.estimate.key(), history.estimateReplay.key(), clients.key(), usage.key()];
    case 'aliases':
      return [chat.estimate.key(), history.estimateReplay.key()];
    case 'status':
    case 'models':
    case 'videos':
    case 'chat':
    case 'exchanges':
    case 'holds':
      return [];
  }
}

function invalidateKey(queries: QueryClient, queryKey: readonly unknown[]): void {
  // Invalidation refetches only queries with data. A first fetch may return the previous state, so it is cancelled here.
  for (const query of queries.getQueryCache().findAll({ queryKey, ...ACTIVE_QUERIES })) {
    if (query.state.data === undefined) void query.cancel({ silent: true });
  }
  void queries.invalidateQueries({ queryKey });
}
