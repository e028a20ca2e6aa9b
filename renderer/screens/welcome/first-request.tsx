import { Code, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ExchangeId } from '../../../shared/exchange/exchange.ts';
import type { ExchangeSummary } from '../../../shared/history/history.ts';
import { explain } from '../../../shared/failure/explain.ts';
import { useCalls } from '../../api/client.ts';
import { HttpsAdvice } from '../../components/https-advice.tsx';
import { RepairHint } from '../../components/repair-hint.tsx';
import { reachedService } from '../../../shared/exchange/outcome.ts';
import { formatDuration } from '../../../shared/format.ts';
import { routeLabel } from '../../format/route.ts';
import { ScreenLink } from '../../components/screen-link.tsx';
import { StatusBadge } from '../../components/badges/status-badge.tsx';
import { Tokens } from '../../components/tokens.tsx';
import { isWorking } from './choose-first-request.ts';
import classes from './welcome.module.css';
import type { FirstClient } from './use-progress.ts';

interface FirstRequestProps {
  readonly exchange: ExchangeSummary | undefined;
  /** The client that the person has created. */
  readonly connected: FirstClient | null;
  /** Whether the window sent the request. */
  readonly isFromHere: boolean;
}

/** Waits for the first request and then shows its facts and repairs. */
export function FirstRequest({ exchange, connected, isFromHere }: FirstRequestProps) {
  return (
    <Stack gap="sm">
      <div role="status">
        <FirstRequestMessage exchange={exchange} connected={connected} isFromHere={isFromHere} />
      </div>
      {exchange !== undefined && (
        <>
          <Facts exchange={exchange} />
          {exchange.repairs.length > 0 && <Repairs id={exchange.id} />}
        </>
      )}
    </Stack>
  );
}

function FirstRequestMessage({ exchange, connected, isFromHere }: FirstRequestProps) {
  if (exchange === undefined) {
    return (
      <div className={classes['waiting']}>
        <Loader size="sm" type="dots" aria-hidden />
        <Text size="sm">Waiting for the first request…</Text>
      </div>
    );
  }
  if (isWorking(exchange)) {
    return (
      <div className={classes['waiting']} data-arrived="worked">
        <IconCircleCheck size={22} color="var(--gate-good)" aria-hidden />
        <Text size="sm">
          <strong>It works.</strong> {describeSuccess({ exchange, connected, isFromHere })}
        </Text>
      </div>
    );
  }
  return (
    <div className={classes['waiting']} data-arrived="failed">
      <IconAlertTriangle size={22} color="var(--gate-warn)" aria-hidden />
      <Text size="sm">
        <strong>The request failed.</strong> {describeFailure(exchange)}
      </Text>
    </div>
  );
}

function describeSuccess({
  exchange,
  connected,
  isFromHere,
}: FirstRequestProps & { readonly exchange: ExchangeSummary }): string {
  const { clientName } = exchange;
  const sent = isFromHere
    ? 'The request from here got an answer.'
    : `${clientName === null ? 'A client' : `“${clientName}”`} sent a request and got an answer.`;
  if (connected === null) return sent;
  const { name } = connected.client;
  const isPending = isFromHere || clientName !== name;
  return isPending ? `${sent} “${name}” has not sent one yet.` : sent;
}

function describeFailure(exchange: ExchangeSummary): ReactNode {
  if (exchange.errorCode === 'https_not_supported') return <HttpsAdvice />;
  const failure = explain(exchange);
  return failure === null ? null : `${failure.title}. ${failure.advice[0] ?? ''}`;
}

function Facts({ exchange }: { readonly exchange: ExchangeSummary }) {
  return (
    <dl className={classes['facts']}>
      <dt>Client</dt>
      <dd>{exchange.clientName ?? 'unknown'}</dd>
      <dt>Request</dt>
      <dd>
        {routeLabel(exchange.route)}, <Code>{exchange.pathReceived}</Code>
      </dd>
      <dt>Model</dt>
      <dd>{exchange.modelSent ?? exchange.modelAsked ?? 'not named'}</dd>
      <dt>Status</dt>
      <dd>
        <StatusBadge exchange={exchange} withLabel />
      </dd>
      <dt>Tokens</dt>
      <dd>
        <Tokens usage={exchange.usage} sent={reachedService(exchange)} />
      </dd>
      <dt>Duration</dt>
      <dd data-figures>{formatDuration(exchange.durationMs)}</dd>
      <dt>Details</dt>
      <dd>
        <ScreenLink to="/history" search={{ exchange: exchange.id }} size="sm">
          Open in History
        </ScreenLink>
      </dd>
    </dl>
  );
}

function Repairs({ id }: { readonly id: ExchangeId }) {
  const { data } = useQuery(useCalls().history.get.queryOptions({ input: { id } }));
  return data?.exchange.repairs.map((repair) => (
    <RepairHint key={repair.code} repair={repair} clientName={data.exchange.clientName} />
  ));
}
