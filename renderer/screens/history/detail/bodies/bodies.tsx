import { Skeleton } from '@mantine/core';
import type { ReactNode } from 'react';
import { TextProtocol } from '../../../../../shared/chat/chat.ts';
import type { ExchangeId, RouteName } from '../../../../../shared/exchange/exchange.ts';
import { ErrorState } from '../../../../components/states/error-state.tsx';
import { RequestSection } from './request-section.tsx';
import { ResponseSection } from './response-section.tsx';
import { useBodies } from './use-bodies.ts';

/** The exchange whose bodies are shown. */
export interface BodiesProps {
  readonly id: ExchangeId;
  readonly route: RouteName;
  /** Whether the exchange is in flight. */
  readonly isRunning: boolean;
  /** Shown when none are stored. */
  readonly absent: ReactNode;
}

/** Shows the request and the response of an exchange. */
export function Bodies({ id, route, isRunning, absent }: BodiesProps) {
  const { bodies, error, refetch } = useBodies(id, isRunning);
  if (bodies === null) {
    if (error === null) return <Skeleton h={120} />;
    return (
      <ErrorState
        title="Could not load the request and the response."
        error={error}
        onRetry={refetch}
      />
    );
  }
  if (bodies.state === 'absent') return isRunning ? null : absent;
  const protocol = TextProtocol.options.find((option) => option === route) ?? null;
  return (
    <>
      <RequestSection bodies={bodies} protocol={protocol} />
      <ResponseSection bodies={bodies} protocol={protocol} />
    </>
  );
}
