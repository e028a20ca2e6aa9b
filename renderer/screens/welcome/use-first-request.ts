import { useThrottledCallback } from '@mantine/hooks';
import { skipToken, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { ExchangeSummary } from '../../../shared/history/history.ts';
import { useCalls } from '../../api/client.ts';
import { useLiveEvents } from '../../api/use-live.ts';
import { chooseFirstRequest, isAnyWorking } from './choose-first-request.ts';
import type { FirstClient } from './use-progress.ts';

const PAGE_SIZE = 200;
const ASK_PAUSE_MS = 300;

/** The requests of clients, as the last step shows them. */
interface FirstRequest {
  /** The request that shows best whether Gatehouse works; `undefined` while there is none. */
  readonly shown: ExchangeSummary | undefined;
  /** Whether a request of any client has worked. */
  readonly works: boolean;
}

/**
 * Returns the request that shows best whether Gatehouse works. All requests count until the first steps are done, of first steps that
 * were opened again those since the start. `connected`: the client that the person has created.
 */
export function useFirstRequest(connected: FirstClient | null): FirstRequest {
  const calls = useCalls();
  const since = useSince();
  const query = useQuery(
    calls.history.page.queryOptions({
      input: since === undefined ? skipToken : { filter: { since }, limit: PAGE_SIZE },
      // No event makes the pages of the history stale: requests may have come while another screen was open.
      staleTime: 0,
    }),
  );
  const ask = useThrottledCallback(() => void query.refetch(), ASK_PAUSE_MS);
  useLiveEvents(({ kind }) => {
    if (kind === 'history') ask();
  });
  const exchanges = query.data?.exchanges ?? [];
  return {
    shown: chooseFirstRequest(exchanges, connected?.client ?? null),
    works: isAnyWorking(exchanges),
  };
}

/** Returns the time from which requests count. It stays the same while the step is open, also when the first steps are done meanwhile. */
function useSince(): number | undefined {
  const { data: status } = useQuery(useCalls().status.get.queryOptions());
  const [since, setSince] = useState<number>();
  if (since === undefined && status !== undefined) {
    setSince(status.setUp ? status.startedAt : 0);
  }
  return since;
}
