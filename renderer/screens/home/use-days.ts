import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../api/client.ts';

/** Often enough for a day to begin on screen too when nothing happens. */
const REFETCH_MS = 5 * 60_000;

/** The last 30 days, today last. */
export function useDays() {
  return useQuery({
    ...useCalls().home.days.queryOptions(),
    refetchInterval: REFETCH_MS,
  });
}
