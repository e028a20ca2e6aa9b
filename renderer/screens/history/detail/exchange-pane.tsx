import { Skeleton, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { ExchangeId } from '../../../../shared/exchange.ts';
import type { RunningExchange } from '../../../../shared/history.ts';
import { useCalls } from '../../../api/client.ts';
import { useLiveEvents, useInFlight } from '../../../api/use-live.ts';
import { DetailPane } from '../../../components/detail-pane.tsx';
import { ErrorState } from '../../../components/error-state.tsx';
import { routeLabel } from '../../../format/route.ts';
import { ExchangeParts } from './exchange-parts.tsx';
import { Facts } from './facts.tsx';
import { RunningExchangeDetail } from './running-exchange.tsx';

interface ExchangePaneProps {
  readonly id: ExchangeId;
  readonly onClose: () => void;
  /** Opens the history filtered by this conversation id. */
  readonly onConversation: (conversation: string) => void;
}

/** Shows everything known about one exchange. */
export function ExchangePane({ id, onClose, onConversation }: ExchangePaneProps) {
  const running = useInFlight().exchanges.find((exchange) => exchange.id === id);
  const unfinished = useLastSeen(id, running);
  const { detail, error, refetch } = useDetail(id, {
    isRunning: running !== undefined,
    isUnfinished: unfinished !== null,
  });
  const route = detail?.exchange.route ?? unfinished?.route;
  return (
    <DetailPane title={route === undefined ? 'Exchange' : routeLabel(route)} onClose={onClose}>
      <Stack gap="md">
        {detail !== null ? (
          <>
            <ExchangeParts detail={detail} />
            <Facts detail={detail} onConversation={onConversation} />
          </>
        ) : unfinished !== null ? (
          <RunningExchangeDetail exchange={unfinished} />
        ) : error !== null ? (
          <ErrorState title="Could not load this exchange." error={error} onRetry={refetch} />
        ) : (
          <Loading />
        )}
      </Stack>
    </DetailPane>
  );
}

/** Finds an exchange in progress as last reported; it may have ended since. */
function useLastSeen(id: ExchangeId, running: RunningExchange | undefined): RunningExchange | null {
  const [seen, setSeen] = useState<RunningExchange | null>(null);
  useEffect(() => {
    if (running !== undefined) setSeen(running);
  }, [running]);
  return running ?? (seen?.id === id ? seen : null);
}

/** Loads an exchange. A stored one never changes; one that is not stored yet is fetched again whenever the history grew. */
function useDetail(
  id: ExchangeId,
  { isRunning, isUnfinished }: { readonly isRunning: boolean; readonly isUnfinished: boolean },
) {
  const options = useCalls().history.get.queryOptions({ input: { id }, enabled: !isRunning });
  const { data, error, isPlaceholderData, refetch } = useQuery(options);
  useLiveEvents(({ kind }) => {
    if (kind === 'history' && error !== null) void refetch();
  });
  // The previous exchange stays visible while this one loads, unless more is known about this one.
  const isOther = isPlaceholderData && isUnfinished;
  const detail = data !== undefined && error === null && !isRunning && !isOther ? data : null;
  return { detail, error, refetch: () => void refetch() };
}

function Loading() {
  return (
    <Stack gap="sm">
      <Skeleton h={22} w="60%" />
      <Skeleton h={60} />
      <Skeleton h={120} />
      <Skeleton h={180} />
    </Stack>
  );
}
