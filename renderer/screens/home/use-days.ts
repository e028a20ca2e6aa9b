import { useQuery } from '@tanstack/react-query';
import { useCalls } from '../../client/client.ts';

/** Often enough for a day to begin on screen too when nothing happens. */
const LOOK_AGAIN_MS = 5 * 60_000;

/** The last 30 days, today last. */
export function useDays() {
  return useQuery({
    ...useCalls().home.days.queryOptions(),
    refetchInterval: LOOK_AGAIN_MS,
  });
}
