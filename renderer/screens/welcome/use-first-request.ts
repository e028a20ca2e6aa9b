import { useThrottledCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExchangeSummary } from '../../../shared/history.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';

const PAGE_SIZE = 50;
const ASK_PAUSE_MS = 300;

/**
 * The first request that worked since then (Unix milliseconds; now, when absent), or the latest that did not; `undefined` while
 * there is none.
 */
export function useFirstRequest(createdAt: number | undefined): ExchangeSummary | undefined {
  const [openedAt] = useState(() => Date.now());
  const since = createdAt ?? openedAt;
  const input = { filter: { since }, limit: PAGE_SIZE };
  const query = useQuery(useCalls().history.page.queryOptions({ input }));
  const ask = useThrottledCallback(() => void query.refetch(), ASK_PAUSE_MS);
  useLiveEvents(({ kind }) => {
    if (kind === 'history') ask();
  });
  return findFirst(query.data?.exchanges ?? []);
}

/**
 * Selects the oldest successful request, else the newest one, of exchanges sorted newest first. Model lists do not count:
 * many programs fetch them unasked.
 */
function findFirst(exchanges: readonly ExchangeSummary[]): ExchangeSummary | undefined {
  const requests = exchanges.filter(({ route }) => route !== 'models');
  const worked = requests.findLast(({ status }) => status !== null && status < 400);
  return worked ?? requests[0];
}
