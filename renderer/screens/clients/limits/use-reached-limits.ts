import { useQuery } from '@tanstack/react-query';
import type { LimitState } from '../../../../shared/money/limit.ts';
import { findLimitStep } from '../../../../shared/money/limit-step.ts';
import { useCalls } from '../../../api/client.ts';
import { useNow } from '../../../hooks/use-now.ts';

/** Returns the limits that refuse all requests now, without those that come and go within a minute, or that refuse single runs. */
export function useReachedLimits(): readonly LimitState[] {
  const { data = [] } = useQuery(useCalls().clients.limits.list.queryOptions());
  const now = useNow();
  return data.filter((limit) => {
    const { suspended } = limit;
    const isSuspended = suspended !== null && now >= suspended.from && now < suspended.until;
    return !isSuspended && limit.period !== 'run' && findLimitStep(limit)?.percent === 100;
  });
}
