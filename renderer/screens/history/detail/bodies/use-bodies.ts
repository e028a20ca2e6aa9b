import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ExchangeBodies } from '../../../../../shared/exchange/body.ts';
import type { ExchangeId } from '../../../../../shared/exchange/exchange.ts';
import { useCalls } from '../../../../api/client.ts';
import { useLiveEvents } from '../../../../api/use-live.ts';

/** Interval between looks at an exchange in flight. */
const INTERVAL_MS = 1_000;
/** How long bodies stay in memory after their exchange was closed; they are large. */
const GC_MS = 10_000;

/** Loads the bodies of an exchange; those of one in flight again every second, but for the messages before those of its request. */
export function useBodies(id: ExchangeId, isRunning: boolean) {
  const calls = useCalls().history.bodies;
  const queries = useQueryClient();
  const options = calls.queryOptions({ input: { id } });
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...options,
    queryFn: async ({ signal }) => {
      const earlier = findEarlier(queries.getQueryData(options.queryKey));
      const bodies = await calls.call({ id, isRebuilt: earlier === undefined }, { signal });
      return bodies.state === 'running' && earlier !== undefined ? { ...bodies, earlier } : bodies;
    },
    gcTime: GC_MS,
    refetchInterval: ({ state }) =>
      isRunning || state.data?.state === 'running' ? INTERVAL_MS : false,
  });
  // They are stored a moment after the exchange has ended.
  useLiveEvents(({ kind }) => {
    if (kind === 'history' && data?.state !== 'kept') void refetch();
  });
  const bodies: ExchangeBodies | null = data === undefined || isPlaceholderData ? null : data;
  return { bodies, error, refetch: () => void refetch() };
}

/** Returns the messages before those of a request that stay the same: it was sent, and what it continues was found. */
function findEarlier(bodies: ExchangeBodies | undefined): ExchangeBodies['earlier'] {
  if (bodies === undefined || bodies.sent === null) return undefined;
  return bodies.earlier?.start === 'not kept' ? undefined : bodies.earlier;
}
