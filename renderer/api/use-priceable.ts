import { useQuery } from '@tanstack/react-query';
import type { UsageOf, UsagePeriod } from '../../shared/history/usage.ts';
import { useCalls } from './client.ts';

/** Returns how many of the requests of a period without a cost have a price by now; 0 while that is unknown. `of`: whose; by default of the service in use. */
export function usePriceable(period: UsagePeriod, unpriced: number, of?: UsageOf): number {
  const { data } = useQuery({
    ...useCalls().usage.priceable.queryOptions({ input: { ...period, of } }),
    enabled: unpriced > 0,
    refetchOnMount: 'always',
  });
  return unpriced === 0 ? 0 : Math.min(unpriced, data?.exchanges ?? 0);
}
