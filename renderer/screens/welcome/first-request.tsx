import { Code, Loader, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ExchangeId } from '../../../shared/exchange.ts';
import type { ExchangeSummary } from '../../../shared/history.ts';
import { useCalls } from '../../api/client.ts';
import { RepairHint } from '../../components/repair-hint.tsx';
import { formatDuration } from '../../../shared/format.ts';
import { routeLabel } from '../../format/route.ts';
import { ScreenLink } from '../../components/screen-link.tsx';
import { StatusBadge } from '../../components/status-badge.tsx';
import { Tokens } from '../../components/tokens.tsx';
import classes from './welcome.module.css';

/** Waits for the first request and then shows its facts and repairs. */
export function FirstRequest({ exchange }: { readonly exchange: ExchangeSummary | undefined }) {
  return (
    <Stack gap="sm">
      <div role="status">
        <FirstRequestMessage exchange={exchange} />
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

function FirstRequestMessage({ exchange }: { readonly exchange: ExchangeSummary | undefined }) {
  if (exchange === undefined) {
    return (
      <div className={classes['waiting']}>
        <Loader size="sm" type="dots" aria-hidden />
        <Text size="sm">Waiting for the first request…</Text>
      </div>
    );
  }
  if (exchange.status !== null && exchange.status < 400) {
    return (
      <div className={classes['waiting']} data-arrived="worked">
        <IconCircleCheck size={22} color="var(--gate-good)" aria-hidden />
        <Text size="sm">
          <strong>It works.</strong> {exchange.clientName ?? 'A client'} sent a request and got an
          answer.
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

function describeFailure({ status, clientName }: ExchangeSummary): string {
  if (clientName === null) {
    return 'Its key is not a valid local key. Enter the local key of this client, and send it again.';
  }
  if (status === null)
    return 'The program disconnected before it got an answer. Send another request.';
  return 'The program is connected, but the request was refused. Its details say why. Waiting for one that works…';
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
      <dd>{exchange.modelSent ?? exchange.modelAsked ?? 'none named'}</dd>
      <dt>Status</dt>
      <dd>
        <StatusBadge exchange={exchange} withLabel />
      </dd>
      <dt>Tokens</dt>
      <dd>
        <Tokens usage={exchange.usage} />
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
