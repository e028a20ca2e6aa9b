import { useQuery } from '@tanstack/react-query';
import type { LimitState } from '../../../../shared/money/limit.ts';
import { findLimitStep } from '../../../../shared/money/limit-step.ts';
import { useCalls } from '../../../api/client.ts';
import { useNow } from '../../../hooks/use-now.ts';

/** Returns the limits that refuse requests now, those of single runs too, without those that come and go within a minute. */
export function useReachedLimits(): readonly LimitState[] {
  const { data = [] } = useQuery(useCalls().clients.limits.list.queryOptions());
  const now = useNow();
  return data.filter((limit) => isReached(limit, now));
}

/** Whether the limits of all clients together refuse all requests now. */
export function useIsReachedByAll(): boolean {
  return useReachedLimits().some(({ clientId, period }) => clientId === null && period !== 'run');
}

/** Returns the limits of a client, the one first that is nearest to its end: one that refuses requests, or of which the largest part is used. */
export function useLimitsOf(client: string): readonly LimitState[] {
  const { data = [] } = useQuery(useCalls().clients.limits.list.queryOptions());
  const now = useNow();
  const toShare = (limit: LimitState) =>
    isReached(limit, now) ? Number.POSITIVE_INFINITY : limit.used / limit.amount;
  return data
    .filter(({ clientId }) => clientId === client)
    .toSorted((one, other) => toShare(other) - toShare(one) || 0);
}

function isReached(limit: LimitState, now: number): boolean {
  const { suspended } = limit;
  const isSuspended = suspended !== null && now >= suspended.from && now < suspended.until;
  return !isSuspended && findLimitStep(limit)?.percent === 100;
}
