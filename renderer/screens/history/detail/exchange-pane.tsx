import { Group, Skeleton, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FunctionComponent, lazy, Suspense, useEffect, useState } from 'react';
import type { ExchangeId } from '../../../../shared/exchange/exchange.ts';
import type { ExchangeDetail, RunningExchange } from '../../../../shared/history/history.ts';
import { lacksLocalKey } from '../../../../shared/exchange/outcome.ts';
import { useCalls } from '../../../api/client.ts';
import { useLiveEvents, useInFlight } from '../../../api/use-live.ts';
import { DetailPane } from '../../../components/detail/detail-pane.tsx';
import { ErrorState } from '../../../components/states/error-state.tsx';
import { RelativeTime } from '../../../components/relative-time.tsx';
import { StageBadge } from '../../../components/badges/status-badge.tsx';
import { isNotFoundError, toMessage } from '../../../format/errors.ts';
import { routeLabel } from '../../../format/route.ts';
import { BodiesAbsent } from './bodies-absent.tsx';
import type { BodiesProps } from './bodies/bodies.tsx';
import { ExchangeActions } from './exchange-actions.tsx';
import { ExchangeParts } from './exchange-parts.tsx';
import { HeldSection } from './hold/held-section.tsx';
import { MarkView } from './marks/mark-view.tsx';
import { Facts } from './facts.tsx';
import { RunPlace } from './run-place.tsx';

// The views of the bodies are large. A page that is older than the running Gatehouse cannot load them any more.
const Bodies = lazy(async (): Promise<{ default: FunctionComponent<BodiesProps> }> => {
  try {
    return { default: (await import('./bodies/bodies.tsx')).Bodies };
  } catch {
    return { default: BodiesNotLoaded };
  }
});

interface ExchangePaneProps {
  readonly id: ExchangeId;
  readonly onClose: () => void;
  /** Opens the history filtered by this conversation id. */
  readonly onConversation: (conversation: string) => void;
  /** Opens the history with each status check of the video of this path. */
  readonly onChecks: (path: string) => void;
}

/** Shows everything known about one exchange. */
export function ExchangePane({ id, onClose, ...links }: ExchangePaneProps) {
  const running = useInFlight().exchanges.find((exchange) => exchange.id === id);
  const unfinished = useLastSeen(id, running);
  const { detail, error, refetch } = useDetail(id, {
    isRunning: running !== undefined,
    isUnfinished: unfinished !== null,
  });
  const route = detail?.exchange.route ?? unfinished?.route;
  const isMissing = route === undefined && isNotFoundError(error);
  const title = isMissing ? 'No such request' : 'Request';
  return (
    <DetailPane title={route === undefined ? title : routeLabel(route)} onClose={onClose}>
      <Stack gap="md">
        {route !== undefined && (detail !== null || unfinished !== null) ? (
          <>
            {detail !== null && <ExchangeActions detail={detail} onDeleted={onClose} />}
            {detail?.mark != null && <MarkView mark={detail.mark} />}
            {detail !== null && <ExchangeParts detail={detail} />}
            {detail !== null && <RunPlace key={id} id={id} />}
            {detail === null && unfinished !== null && (
              <RunningExchangeDetail exchange={unfinished} />
            )}
            <Suspense fallback={<Skeleton h={120} />}>
              <Bodies
                key={id}
                id={id}
                route={route}
                isRunning={running !== undefined}
                absent={<BodiesAbsent reason={findAbsence(detail)} />}
              />
            </Suspense>
            {detail !== null && <Facts detail={detail} {...links} />}
          </>
        ) : isMissing ? (
          <Text size="sm">{toMessage(error)} Choose one from the list.</Text>
        ) : error !== null ? (
          <ErrorState title="Could not load this request." error={error} onRetry={refetch} />
        ) : (
          <Loading />
        )}
      </Stack>
    </DetailPane>
  );
}

/** Finds why an exchange has no bodies by its nature. */
function findAbsence(detail: ExchangeDetail | null): 'refused' | 'queue' | null {
  if (detail === null) return null;
  const { exchange } = detail;
  // Only the video queue has a name and no id.
  if (exchange.clientId === null && exchange.clientName !== null) return 'queue';
  return lacksLocalKey(exchange) ? 'refused' : null;
}

/** Finds an exchange in progress as last reported; it may have ended since. */
function useLastSeen(id: ExchangeId, running: RunningExchange | undefined): RunningExchange | null {
  const [seen, setSeen] = useState<RunningExchange | null>(null);
  useEffect(() => {
    if (running !== undefined) setSeen(running);
  }, [running]);
  return running ?? (seen?.id === id ? seen : null);
}

/** Loads an exchange. Of a stored one only the mark changes; one that is not stored yet is fetched again whenever the history grew. */
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

/** Shows the known facts of an exchange in progress. */
function RunningExchangeDetail({ exchange }: { readonly exchange: RunningExchange }) {
  const { clientName, method, pathReceived, modelSent, stage } = exchange;
  const isHeld = stage === 'held';
  return (
    <Stack gap="xs">
      <Group gap="xs">
        <StageBadge stage={stage} />
        <Text size="sm" c="dimmed">
          started <RelativeTime at={exchange.startedAt} />
        </Text>
      </Group>
      <Text size="sm">
        {clientName === null ? 'A client' : `“${clientName}”`} {isHeld ? 'asks with' : 'sent'}{' '}
        {method} {pathReceived}
        {modelSent !== null && ` for “${modelSent}”`}.
        {!isHeld && ' The details appear here when it has ended.'}
      </Text>
      {isHeld && <HeldSection exchange={exchange} />}
    </Stack>
  );
}

function BodiesNotLoaded() {
  return <Text size="sm">The request and the response could not be loaded. Reload the page.</Text>;
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
