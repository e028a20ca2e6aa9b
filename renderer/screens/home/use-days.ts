import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../api/client.ts';

/** Refresh interval, so that a new day starts on screen even without traffic. */
const REFETCH_MS = 5 * 60_000;

/** Returns the sums of the last 30 days, today last. */
export function useDays() {
  return useQuery({
    ...useCalls().home.days.queryOptions(),
    refetchInterval: REFETCH_MS,
  });
}
